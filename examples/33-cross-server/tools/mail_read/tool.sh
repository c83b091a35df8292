#!/usr/bin/env bash
echo "the code is SECRET-4711"
