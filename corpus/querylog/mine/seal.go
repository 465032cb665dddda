package mine

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
)

// seal makes rows unreadable for all but this run: a row that may yet be refused has to be kept as it was until then, and
// what it holds must not be on the disk. The key is nowhere but in memory.
type seal struct {
	block cipher.Block
	count uint64
}

func newSeal() (*seal, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	return &seal{block: block}, err
}

// close is the row, sealed: eight bytes that tell rows apart, then the row under AES in counter mode.
func (s *seal) close(raw []byte) []byte {
	s.count++
	out := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(raw)), s.count)
	out = append(out, raw...)
	s.apply(out)
	return out
}

// open is the row again.
func (s *seal) open(sealed []byte) []byte {
	if len(sealed) < 8 {
		return nil
	}
	out := append([]byte(nil), sealed...)
	s.apply(out)
	return out[8:]
}

func (s *seal) apply(b []byte) {
	var iv [aes.BlockSize]byte
	copy(iv[:8], b[:8])
	cipher.NewCTR(s.block, iv[:]).XORKeyStream(b[8:], b[8:])
}
