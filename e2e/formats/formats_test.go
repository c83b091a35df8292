// Package formats checks the configurations in examples/proxy by the types and loaders of the programs
// that read them. It is a separate module, so that users of mcp-bash do not need these libraries.
package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"gopkg.in/yaml.v3"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kyaml "sigs.k8s.io/yaml"
)

const configurations = "../../examples/proxy"

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(configurations, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// objects decodes the objects of a Kubernetes file strictly: an unknown field, or a value of
// another type, is an error.
func objects(t *testing.T, name string) (all []any) {
	t.Helper()
	for part := range strings.SplitSeq(string(read(t, name)), "\n---\n") {
		var kind metav1.TypeMeta
		if err := kyaml.Unmarshal([]byte(part), &kind); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		object := map[string]any{
			"v1/ConfigMap": &corev1.ConfigMap{}, "v1/Service": &corev1.Service{},
			"apps/v1/StatefulSet": &appsv1.StatefulSet{}, "apps/v1/Deployment": &appsv1.Deployment{},
			"policy/v1/PodDisruptionBudget":      &policyv1.PodDisruptionBudget{},
			"networking.k8s.io/v1/Ingress":       &networkingv1.Ingress{},
			"networking.k8s.io/v1/NetworkPolicy": &networkingv1.NetworkPolicy{},
		}[kind.APIVersion+"/"+kind.Kind]
		if object == nil {
			t.Fatalf("%s: %s %s is not known here", name, kind.APIVersion, kind.Kind)
		}
		if err := kyaml.UnmarshalStrict([]byte(part), object); err != nil {
			t.Errorf("%s: %s: %v", name, kind.Kind, err)
		}
		all = append(all, object)
	}
	return all
}

func TestTheObjectsOfKubernetesAreValidAndFitEachOther(t *testing.T) {
	services, accounts := make(map[string]*corev1.Service), 0
	type pod struct {
		name string
		spec corev1.PodSpec
		meta metav1.ObjectMeta
		want *metav1.LabelSelector
	}
	var pods []pod
	for _, o := range objects(t, "kubernetes/mcp-bash.yaml") {
		switch o := o.(type) {
		case *appsv1.StatefulSet:
			pods = append(pods, pod{o.Name, o.Spec.Template.Spec, o.Spec.Template.ObjectMeta, o.Spec.Selector})
		case *appsv1.Deployment:
			pods = append(pods, pod{o.Name, o.Spec.Template.Spec, o.Spec.Template.ObjectMeta, o.Spec.Selector})
		case *corev1.Service:
			services[o.Name] = o
		case *networkingv1.Ingress:
			backend := o.Spec.Rules[0].HTTP.Paths[0].Backend.Service
			if s := services[backend.Name]; s == nil || s.Spec.Ports[0].Name != backend.Port.Name {
				t.Errorf("the ingress leads to %s, which is not a port of a service", backend)
			}
		}
	}
	if len(pods) != 3 || len(services) != 4 {
		t.Fatalf("found %d kinds of pods and %d services", len(pods), len(services))
	}
	for _, p := range pods {
		for name, want := range p.want.MatchLabels {
			if p.meta.Labels[name] != want {
				t.Errorf("%s does not select its own pods", p.name)
			}
		}
		volumes := make(map[string]bool)
		for _, v := range p.spec.Volumes {
			volumes[v.Name] = true
		}
		for _, c := range append(p.spec.InitContainers, p.spec.Containers...) {
			for _, m := range c.VolumeMounts {
				if !volumes[m.Name] && m.Name != "data" { // which is claimed
					t.Errorf("%s mounts %s, which is not a volume", p.name, m.Name)
				}
			}
			if s := c.SecurityContext; s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || !slices.Contains(s.Capabilities.Drop, "ALL") {
				t.Errorf("%s, container %s: keeps privileges that it does not need", p.name, c.Name)
			}
		}
		if p.spec.AutomountServiceAccountToken == nil || *p.spec.AutomountServiceAccountToken {
			accounts++
		}
	}
	if accounts > 0 {
		t.Errorf("%d kinds of pods get a token of Kubernetes, which their tools could read", accounts)
	}
	for _, s := range services {
		fits := false
		for _, p := range pods {
			fits = fits || p.meta.Labels["app"] == s.Spec.Selector["app"]
		}
		if !fits {
			t.Errorf("the service %s selects no pods", s.Name)
		}
	}
}

func TestTheNetworkPolicyOfAdaptersIsValid(t *testing.T) {
	objects(t, "microsoft-mcp-gateway/network-policy.yaml")
}

func TestTheComposeFileIsValid(t *testing.T) {
	dir, err := filepath.Abs(filepath.Join(configurations, "compose"))
	if err != nil {
		t.Fatal(err)
	}
	project, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir:  dir,
		ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(dir, "compose.yaml")}},
		Environment: types.Mapping{"PROJECT": "/srv/my-tools", "SITE": "mcp.test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		s := project.Services[name]
		if !slices.Contains(s.Command, "--replica="+name) || !slices.Contains(s.Command, "--allow-host=mcp.test") {
			t.Errorf("%s is started with %v", name, s.Command)
		}
		if address := project.Services["caddy"].Environment["REPLICA_"+strings.ToUpper(name)]; address == nil || *address != name+":8080" {
			t.Errorf("Caddy does not know %s", name)
		}
	}
}

// An entry is a server's entry in the catalog of the Docker MCP Gateway, as documented.
type entry struct {
	Name           string   `yaml:"name"`
	Type           string   `yaml:"type"`
	Title          string   `yaml:"title"`
	Description    string   `yaml:"description"`
	Image          string   `yaml:"image"`
	Command        []string `yaml:"command"`
	Volumes        []string `yaml:"volumes"`
	User           string   `yaml:"user"`
	LongLived      bool     `yaml:"longLived"`
	DisableNetwork bool     `yaml:"disableNetwork"`
	AllowHosts     []string `yaml:"allowHosts"`
	Env            []struct {
		Name  string `yaml:"name"`
		Value string `yaml:"value"`
	} `yaml:"env"`
	Secrets []struct {
		Name string `yaml:"name"`
		Env  string `yaml:"env"`
	} `yaml:"secrets"`
	Remote struct {
		URL       string            `yaml:"url"`
		Transport string            `yaml:"transport_type"`
		Headers   map[string]string `yaml:"headers"`
	} `yaml:"remote"`
}

func TestTheEntriesOfTheDockerGatewayHaveWhatItDocuments(t *testing.T) {
	for file, kind := range map[string]string{"server.yaml": "server", "remote.yaml": "remote"} {
		d := yaml.NewDecoder(bytes.NewReader(read(t, "docker-mcp-gateway/"+file)))
		d.KnownFields(true)
		var e entry
		if err := d.Decode(&e); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if e.Name == "" || e.Title == "" || e.Description == "" || e.Type != kind {
			t.Errorf("%s: name, title, description and type are required", file)
		}
		if (e.Image != "") != (kind == "server") || (e.Remote.URL != "") != (kind == "remote") {
			t.Errorf("%s: a server has an image, a remote one a URL", file)
		}
		if kind == "remote" && !slices.Contains([]string{"sse", "http", "streamable", "streaming", "streamable-http"}, e.Remote.Transport) {
			t.Errorf("%s: the transport %q is not supported", file, e.Remote.Transport)
		}
		for _, s := range e.Secrets {
			if !strings.HasPrefix(s.Name, e.Name+".") {
				t.Errorf("%s: the name of the secret %s must begin with that of the server", file, s.Name)
			}
		}
	}
}

// An adapter is the body that the Microsoft MCP Gateway accepts at POST /adapters.
type adapter struct {
	Name                 string            `json:"name"`
	ImageName            string            `json:"imageName"`
	ImageVersion         string            `json:"imageVersion"`
	EnvironmentVariables map[string]string `json:"environmentVariables"`
	ReplicaCount         int               `json:"replicaCount"`
	Description          string            `json:"description"`
	UseWorkloadIdentity  bool              `json:"useWorkloadIdentity"`
	RequiredRoles        []string          `json:"requiredRoles"`
}

func TestTheAdapterOfTheMicrosoftGatewayHasWhatItTakes(t *testing.T) {
	d := json.NewDecoder(bytes.NewReader(read(t, "microsoft-mcp-gateway/adapter.json")))
	d.DisallowUnknownFields()
	var a adapter
	if err := d.Decode(&a); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Error("there is something behind the adapter")
	}
	if !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(a.Name) || a.ImageName == "" || a.ImageVersion == "" || a.ReplicaCount < 1 {
		t.Errorf("%+v", a)
	}
}
