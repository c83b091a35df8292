#!/usr/bin/env bash
printf '%s\n' one two three four five six seven
