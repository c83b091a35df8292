package providers

import (
	"mime"
	"net/http"
	"path"
	"strings"
)

// known are the MIME types that do not depend on what the system knows.
var known = map[string]string{
	".css":  "text/css",
	".csv":  "text/csv",
	".gif":  "image/gif",
	".htm":  "text/html",
	".html": "text/html",
	".jpeg": "image/jpeg",
	".jpg":  "image/jpeg",
	".js":   "text/javascript",
	".json": "application/json",
	".log":  "text/plain",
	".md":   "text/markdown",
	".mp3":  "audio/mpeg",
	".mp4":  "video/mp4",
	".pdf":  "application/pdf",
	".png":  "image/png",
	".py":   "text/x-python",
	".sh":   "application/x-sh",
	".svg":  "image/svg+xml",
	".toml": "application/toml",
	".ts":   "text/typescript", // not the video that some systems take it for
	".tsv":  "text/tab-separated-values",
	".txt":  "text/plain",
	".wav":  "audio/wav",
	".webp": "image/webp",
	".xml":  "application/xml",
	".yaml": "application/yaml",
	".yml":  "application/yaml",
	".zip":  "application/zip",
}

// typeOf tells the MIME type of bytes by the name that they have, which may be a path or URL
// path, else by what they are.
func typeOf(name string, b []byte) string {
	ext := strings.ToLower(path.Ext(name))
	if t := known[ext]; t != "" {
		return t
	}
	if t := plainType(mime.TypeByExtension(ext)); t != "" {
		return t
	}
	return plainType(http.DetectContentType(b))
}

// plainType is a MIME type without what goes without saying: charset=utf-8. It is empty for
// what is none.
func plainType(t string) string {
	base, params, err := mime.ParseMediaType(t)
	if err != nil {
		return ""
	}
	if strings.EqualFold(params["charset"], "utf-8") {
		delete(params, "charset")
	}
	return mime.FormatMediaType(base, params)
}
