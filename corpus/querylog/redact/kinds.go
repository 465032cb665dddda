package redact

// Kinds are all kinds, in the order in which they are listed.
func Kinds() []Kind { return []Kind{Email, Phone, Card, IBAN, IP, Secret, Number, Name} }
