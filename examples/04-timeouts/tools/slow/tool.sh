#!/usr/bin/env bash
echo "looked at 3 of 900 files"
exec sleep 60
