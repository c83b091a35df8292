package providers

import (
	"mime"
	"net/http"
	"path"
	"strings"
)

// known are the MIME types that do not depend on the system's tables.
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
	".ts":   "text/typescript", // not the video type of some systems
	".tsv":  "text/tab-separated-values",
	".txt":  "text/plain",
	".wav":  "audio/wav",
	".webp": "image/webp",
	".xml":  "application/xml",
	".yaml": "application/yaml",
	".yml":  "application/yaml",
	".zip":  "application/zip",
}

// typeOf returns the MIME type of bytes by their name, which may be a path or URL path, else by
// their contents.
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

// plainType returns a MIME type without the parameter charset=utf-8, which is the default. It is
// empty if t is not a MIME type.
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
