package bundle

import (
	"testing"

	"github.com/matryer/is"
)

func TestCredentialsOfCommonToolsStayOut(t *testing.T) {
	is := is.New(t)
	for _, name := range []string{".git-credentials", ".envrc", "prod.env", ".docker", ".kube", "credentials.json", "a.tfstate", "id_rsa", "id_ed25519_work", ".env.local"} {
		is.True(secret(name)) // name
	}
	for _, name := range []string{"env.sh", "id_rsa.pub", "id_card.sh", ".env.example", "credentials.sh"} {
		is.True(!secret(name)) // name
	}
}

func TestNamesThatUnpackElsewhereAreRefused(t *testing.T) {
	is := is.New(t)
	for _, name := range []string{`tools/a\\b`, "C:x", "tools/a\nb", "a\xff"} {
		is.True(portable(name) != nil)
	}
	is.NoErr(portable("tools/ä b.sh"))
}
