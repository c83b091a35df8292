#!/usr/bin/env bash
# Writes a whole result, with content of every kind.
cat <<'END'
{"content":[
  {"type":"text","text":"Four pictures at an exhibition"},
  {"type":"image","data":"AAAA","mimeType":"image/png"},
  {"type":"audio","data":"AAAA","mimeType":"audio/wav"},
  {"type":"resource_link","uri":"file:///catalogue.pdf","name":"catalogue"},
  {"type":"resource","resource":{"uri":"file:///label.txt","text":"Bydło"}}
],"structuredContent":{"pictures":4}}
END
