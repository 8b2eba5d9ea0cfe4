package conversation

import (
	"tribunal/envelope"
	"tribunal/read/internal/jsonwalk"
)

// Attachments are those of an array of {"name","path" or "url","media_type"}.
func Attachments(v jsonwalk.Value) []envelope.Attachment {
	if v.Present() && !v.IsArray() {
		v.Leave("is not an array of attachments but " + v.Kind())
	}
	var out []envelope.Attachment
	for item := range v.Items() {
		a := envelope.Attachment{Name: item.Get("name").Text(), Path: item.Get("path").Text(), URL: item.Get("url").Text(),
			MediaType: first(item, "media_type", "mediaType", "contentType")}
		if a.Path == "" && a.URL == "" {
			item.Leave("has an attachment without a path or a url")
			continue
		}
		out = append(out, a)
	}
	return out
}

// attachment is a block of content that is not a text.
func attachment(v jsonwalk.Value) (a envelope.Attachment, is bool) {
	if inline := firstOf(v, "inlineData", "inline_data"); inline.IsObject() { // Gemini
		return embedded(first(inline, "mimeType", "mime_type"), inline.Get("data").Text()), true
	}
	if file := firstOf(v, "fileData", "file_data"); file.IsObject() {
		return envelope.Attachment{URL: first(file, "fileUri", "file_uri"), MediaType: first(file, "mimeType", "mime_type")}, true
	}
	kind := v.Get("type").Text()
	switch kind {
	case "image", "document", "image_url", "input_image", "input_file", "file", "audio", "input_audio", "video", "computer_screenshot":
	default:
		return a, false
	}
	source := firstOf(v, "source", kind, "image_url", "file", "image", "input_audio")
	switch {
	case source.IsText():
		a.URL = source.Text()
	case source.Get("data").IsText():
		a = embedded(first(source, "media_type", "mime_type", "format"), source.Get("data").Text())
	default:
		a.URL = first(source, "url", "file_data", "uri", "file_id")
		a.Name = first(source, "filename", "name")
	}
	if a.MediaType == "" {
		a.MediaType = first(v, "media_type", "mime_type", "mediaType")
	}
	if a.URL == "" {
		a.Name = joined(a.Name, kind)
	}
	return a, true
}

// embedded is an attachment that is all there.
func embedded(mediaType, data string) envelope.Attachment {
	return envelope.Attachment{URL: "data:" + mediaType + ";base64," + data, MediaType: mediaType}
}
