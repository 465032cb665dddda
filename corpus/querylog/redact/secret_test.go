package redact

import (
	"strings"
	"testing"
)

func TestSecrets(t *testing.T) {
	key := "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAvRzB7ePq0xJ4l1gQ\nq8hR3k2Vw1Zx9Tt0\n-----END RSA PRIVATE KEY-----"
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	taken(t, Secret, []string{
		"use ⟦" + key + "⟧ here",
		"⟦" + strings.ReplaceAll(key, "\n", `\n`) + "⟧",
		"⟦-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAA⟧",
		"why is ⟦" + jwt + "⟧ rejected?",
		"Authorization: Bearer ⟦" + jwt + "⟧",
		"Authorization: Bearer ⟦mF_9.B5f-4.1JqM⟧",
		"curl -H 'Authorization: token ⟦0f3c9a7be1d24c58a9⟧'",
		"Authorization: Basic ⟦YW5uOmh1bnRlcjI=⟧",
		"export GITHUB_TOKEN=⟦ghp_16C7e42F292c6912E7710c838347Ae178B4a⟧",
		"⟦AKIAIOSFODNN7EXAMPLE⟧",
		"aws_secret_access_key = ⟦wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY⟧",
		"slack says ⟦xoxb-123456789012-abcdefABCDEF123456⟧ is revoked",
		"⟦sk-proj-abc123DEF456ghi789JKL012⟧",
		"⟦sk_live_4eC39HqLyjWDarjtT1zdp7dc⟧",
		"key=⟦AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY⟧&v=3",
		"⟦glpat-XyZ12345abcdeFGHijkl⟧",
		"https://hooks.slack.com/services/⟦T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX⟧",
		"bot ⟦110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw⟧",
		"postgres://ann:⟦hunter2⟧@db.example.com/app",
		"https://ann:⟦p%40ss%3Aw0rd⟧@example.com",
		"redis://:⟦s3cretpw⟧@cache:6379/0",
		"https://⟦ghp_16C7e42F292c6912E7710c838347Ae178B4a⟧@github.com/ann/tool.git",
		"password=⟦hunter2⟧",
		"password: ⟦hunter2⟧",
		"Password: \"⟦correct horse battery⟧\"",
		`{"password":"⟦hunter2⟧","n":1}`,
		`{\"password\":\"⟦hunter2⟧\"}`,
		"DB_PASSWORD='⟦S3cr3t!⟧' ./run",
		"my password is ⟦hunter2⟧, why?",
		"the password is \"⟦sunshine⟧\"",
		"mysql -u root -p⟦S3cr3tPw⟧ app",
		"curl -u ann:⟦hunter2⟧ http://example.com",
		"--password ⟦hunter22⟧",
		"--password=⟦hunter2⟧",
		"passwort: ⟦geheim123⟧",
		"contraseña: ⟦clave123⟧",
		"пароль: ⟦qwerty123⟧",
		"api_key: ⟦a1b2c3d4e5f6a7b8⟧",
		"apiKey=\"⟦a1b2c3d4e5f6a7b8⟧\"",
		"X-Api-Key: ⟦a1b2c3d4e5f6a7b8⟧",
		"client_secret=⟦Zx9-8yWvUt7sRq⟧&grant=x",
		"access_token=⟦ya29.a0AfH6SMBx1y2z3⟧",
		"?token=⟦f00b4rb4z9876⟧&next=1",
		"Cookie: ⟦session=8f14e45fceea167a⟧",
		"my pin is ⟦4821⟧", "⟦482913⟧ is your verification code", "otp is ⟦482 913⟧",
		"credentials: ann:⟦hunter2⟧", "login ann/⟦hunter2⟧", "<password>⟦hunter2⟧</password>",
		"recovery key: ⟦ABCD-EFGH-IJKL-MNOP⟧", "backup codes: ⟦1a2b-3c4d⟧ ⟦5e6f-7a8b⟧",
		"cvv ⟦123⟧",
		"otp ⟦482913⟧",
		"verification code: ⟦482913⟧",
		"$ echo '⟦$2b$12$hNf2lSsxfm0.i4a.1kVpSOVyBCfIB51VRjgBUyv6kdnyTlgWj81Ay⟧'",
		"seed phrase: ⟦abandon ability able about above absent absorb abstract absurd abuse access accident⟧",
		"secret key is here: \n⟦9aF3kL0pQ8zX7vB2nM4cR6tY1wE5⟧",
	})
	same(t, Secret, []string{"password=hunter2", "my password is hunter2", `{"password":"hunter2"}`})
}

func TestNoSecrets(t *testing.T) {
	left(t, []string{
		"I forgot my password", "my password is not working", "my password is wrong", "the password was changed yesterday",
		"how do I reset the password?", "password: <secret>", "password: ${DB_PASSWORD}", "password: $PASSWORD", "password = os.environ['PW']",
		"password: ********", "password must have 8 characters", "Password: required", "bearer_token_file: /var/run/token",
		"password = getpass.getpass(\"password: \")", "--- PASS: TestOne/two (0.01s)", "the passcode doesn't work", "My passcode was denied.",
		"password_file: /etc/prometheus/pw", "use bearer tokens for auth", "basic auth is supported", "basic authentication",
		"the token expired", "token: <string>", "the secret is in the config", "API key not found", "press any key",
		"primary key (id)", "key: value", "label key \"instance\"", "foreign key fk_user_id_2", "keyboard", "a pass on 2024",
		"cookies are small files", "clear your cookies and cache", "session expired after 30 minutes", "author: ann",
		"authentication failed", "I can't change my pin", "why was my pin blocked", "my pin is blocked", "how many tries has a pin? 3",
		"public key ssh-rsa", "-----BEGIN CERTIFICATE-----", "status code: 404", "exit code 137", "error code 0x80070005",
		"passed 12 of 14 tests", "max_tokens: 4096", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b", "sk-learn is slow", "NewDecapsulationKey768 expands a decapsulation key", "private key (use ParsePKCS1PrivateKey instead)", "the pins of port 8080", "go vet -u ./...", "passing 10000 rows",
	})
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		text  string
		names []string
		want  string
	}{
		{"ask Ann Smith", []string{"Ann Smith"}, "ask [name-1]"},
		{"ask ANN SMITH or ann", []string{"Ann Smith"}, "ask [name-1] or [name-1]"},
		{"Smith, Ann called", []string{"Ann Smith"}, "[name-1] called"},
		{"ann's annual plan", []string{"Ann"}, "[name-1]'s annual plan"},
		{"user_ann_smith", []string{"Ann Smith"}, "user_[name-1]"},
		{"José wrote", []string{"jose\u0301"}, "[name-1] wrote"},
		{"hola jose", []string{"José García"}, "hola [name-1]"},
		{"O'Brien and o’brien", []string{"Chi O'Brien"}, "[name-1] and [name-1]"},
		{"我是王小明，你好", []string{"王小明"}, "我是[name-1]，你好"},
		{"Иван пишет", []string{"ИВАН Петров"}, "[name-1] пишет"},
		{"name=Ann%20Smith&x", []string{"Ann Smith"}, "name=[name-1]&x"},
		{"nothing of hers", []string{"Ann Smith"}, "nothing of hers"},
		{"nobody", []string{"", " ", "-"}, "nobody"},
	} {
		if got := New().Text(c.text, c.names...); got != c.want {
			t.Errorf("%q without %q\n got %q\nwant %q", c.text, c.names, got, c.want)
		}
	}
	if got := New(Name).Text("ask Ann", "Ann"); got != "ask Ann" {
		t.Errorf("names are left: %q", got)
	}
}
