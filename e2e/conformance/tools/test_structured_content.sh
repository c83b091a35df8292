#!/usr/bin/env bash

cat <<'END'
{
  "content": [{"type": "text", "text": "Sunny, 22.5 degrees"}],
  "structuredContent": {"sky": "sunny", "temperature": 22.5}
}
END
