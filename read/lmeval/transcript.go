package lmeval

import (
	"tribunal/envelope"
	"tribunal/read/internal/conversation"
	"tribunal/read/internal/jsonwalk"
)

// transcript is the prompt of a row and the response to it. A row of several
// responses, and one of multiple choice, whose requests are one for each choice, are
// no conversations: they have none.
func transcript(v jsonwalk.Value) []envelope.Turn {
	response, only := first(v.Get("resps"))
	if list, nested := first(response); only && nested {
		response = list
	} else if response.IsArray() {
		return nil
	}
	if !only || !response.IsText() {
		return nil
	}
	return append(conversation.Prompt(prompt(v.Get("arguments"))), conversation.Say(envelope.RoleAssistant, response.Text()))
}

// first is the first element of a list, and whether it is the only one.
func first(list jsonwalk.Value) (one jsonwalk.Value, only bool) {
	n := 0
	for each := range list.Items() {
		if n++; n > 1 {
			return one, false
		}
		one = each
	}
	return one, n == 1
}

// prompt is the first argument of the first request: named since version 0.4.3, and a
// list before.
func prompt(arguments jsonwalk.Value) jsonwalk.Value {
	if named := arguments.Get("gen_args_0", "arg_0"); named.Present() {
		return named
	}
	request, _ := first(arguments)
	context, _ := first(request)
	return context
}
