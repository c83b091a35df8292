package bundle

import (
	"testing"

	"github.com/matryer/is"
)

func TestCredentialsOfCommonToolsStayOut(t *testing.T) {
	is := is.New(t)
	for _, name := range []string{"auth.json", "token", "Tokens.yaml", "api_key.txt", "access-token.json", "passwords.txt", "secrets.json", "credentials.toml", ".git-credentials", ".envrc", "prod.env", ".docker", ".kube", "credentials.json", "a.tfstate", "id_rsa", "id_ed25519_work", "id_rsa.bak", ".env.local", "client_secret_1.json", "prod.tfstate.backup", "a.tfvars", "_netrc", "secrets.yaml"} {
		is.True(secret(name)) // name
	}
	for _, name := range []string{"auth.sh", "token.py", "authors.json", "env.sh", "id_rsa.pub", "id_card.sh", ".env.example", "credentials.sh", "id_rsa_make.sh", "secrets.sh", "client_secret.sh"} {
		is.True(!secret(name)) // name
	}
}

func TestNamesThatUnpackElsewhereAreRefused(t *testing.T) {
	is := is.New(t)
	for _, name := range []string{`tools/a\\b`, "C:x", "tools/C:x", "tools/a\nb", "a\xff"} {
		is.True(portable(name) != nil)
	}
	is.NoErr(portable("tools/ä b.sh"))
}
