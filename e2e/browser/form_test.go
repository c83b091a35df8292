package browser

import (
	"testing"

	"github.com/matryer/is"
)

const contact = `{"fields":[{"name":"name","label":"Name","required":true},{"name":"age","type":"number"},{"name":"pin","type":"password"}],"submitTool":"save","submitLabel":"Save","cancelable":true}`

func TestEnterTwiceSendsAFormOnce(t *testing.T) {
	is := is.New(t)
	release := make(chan struct{})
	v := open(t, scene{template: "form", config: contact, result: text("The form is open."), answer: func(string, map[string]any) (string, error) {
		<-release
		return text("Saved."), nil
	}})
	v.focus("[name=name]")
	v.press("Ada" + enter + enter)
	v.click("Save")
	is.Equal(v.shows("#status"), "One moment …")
	close(release)
	v.until(`document.getElementById("answer").textContent === "Saved."`)
	is.Equal(v.made(), `save{"name":"Ada"}`) // an empty number is not 0, it is not sent
	is.Equal(v.shows("#status"), "")
}

func TestTheFocusStaysOnTheButtonThatSends(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "form", config: contact, result: text("The form is open."), arguments: map[string]any{"name": "Ada", "age": 36}})
	v.focus("[name=pin]")
	v.press("1234" + tab)
	is.Equal(v.focused(), "Save")
	v.press(enter)
	v.until(`document.getElementById("answer").textContent === "done"`)
	is.Equal(v.made(), `save{"age":36,"name":"Ada","pin":"1234"}`)
	is.Equal(v.focused(), "Save")
	is.Equal(evalHost[string](v, `document.getElementById("model").textContent`), "The user called save with {\"name\":\"Ada\",\"age\":36} on this page. It answered:\ndone") // without the password
}

func TestAFormIsFilledInWithWhatTheToolKnows(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "form", config: contact, arguments: map[string]any{"name": "Ada", "age": 1}, result: data(`{"age":36,"other":true}`)})
	is.Equal(eval[string](v, `document.querySelector("[name=name]").value + " " + document.querySelector("[name=age]").value`), "Ada 36")
	v.focus("[name=age]")
	v.press("0")
	v.notify("ui/notifications/tool-result", data(`{"name":"Grace","age":7}`))
	is.Equal(eval[string](v, `document.querySelector("[name=name]").value + " " + document.querySelector("[name=age]").value`), "Grace 360") // not over what was typed
	v.click("Cancel")
	is.Equal(eval[string](v, `document.querySelector("[name=age]").value`), "7")
	is.Equal(v.made(), "")
}

func TestNothingIsAnsweredBeforeAFormIsSent(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "form", config: contact, result: text("The form is open; what the user saves is answered by save.")})
	is.Equal(v.shows("#answer, #status, #alert"), "")
}

func TestAnErrorTakesAnOldAnswerAway(t *testing.T) {
	is := is.New(t)
	answers := []string{text("Saved."), failed("There is one already.\nChoose another name.")}
	v := open(t, scene{template: "form", config: contact, result: text(""), arguments: map[string]any{"name": "Ada"}, answer: func(string, map[string]any) (string, error) {
		first := answers[0]
		answers = answers[1:]
		return first, nil
	}})
	v.click("Save")
	v.until(`document.getElementById("answer").textContent === "Saved."`)
	v.click("Save")
	v.until(`document.getElementById("alert").textContent !== ""`)
	is.Equal(v.shows("#answer"), "")
	is.Equal(v.shows("#alert"), "There is one already.\nChoose another name.")
	v.click("Cancel")
	is.Equal(v.shows("#alert"), "")
}

func TestAFormWithoutFieldsExplainsWhatItNeeds(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "form", config: `{}`, result: text("The form is open."), minimal: true})
	is.Equal(v.shows("#view"), "The client did not report the fields of the tool; list them as fields in the config of this page.")
	is.Equal(eval[int](v, `document.querySelectorAll("button").length`), 0) // nothing can be sent
}

func TestAFormAsksForWhatItsToolTakes(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "form", config: `{}`, result: text("The form is open."),
		tool: `{"name":"show","inputSchema":{"type":"object","properties":{"city":{"type":"string","title":"City"},"days":{"type":"integer","minimum":1},"metric":{"type":"boolean"},"list":{"type":"array"}},"required":["city"]},"_meta":{"ui":{"resourceUri":"ui://test/show"}}}`})
	is.Equal(v.shows("label"), "City *\ndays\nmetric")
	v.click("Submit")
	is.Equal(v.made(), "") // the browser asks for the city
	is.Equal(v.focused(), "city")
	v.press("Rome" + tab + "3" + tab + " " + tab + enter)
	v.until(`document.getElementById("answer").textContent === "done"`)
	is.Equal(v.made(), `show{"city":"Rome","days":3,"metric":true}`)
}

func TestARefusalOfTheClientIsShown(t *testing.T) {
	is := is.New(t)
	v := open(t, scene{template: "form", config: contact, result: text(""), minimal: true, arguments: map[string]any{"name": "Ada"}, answer: func(string, map[string]any) (string, error) { return "", errRefused }})
	v.click("Save")
	v.until(`document.getElementById("alert").textContent === "the client refused"`)
	is.Equal(v.focused(), "Save")
}
