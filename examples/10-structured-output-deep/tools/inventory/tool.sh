#!/usr/bin/env bash
set -eu
cat <<'JSON'
{"items":[{"sku":"A-1","count":3,"price":{"amount":"9.50","currency":"EUR"}},
          {"sku":"B-2","count":0,"price":{"amount":"12.00","currency":"EUR"}}],
 "total":2}
JSON
