#!/usr/bin/env bash
echo 'region=eu-1'
echo 'key=AKIAABCDEFGHIJKLMNOP'
