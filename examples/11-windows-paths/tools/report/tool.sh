#!/usr/bin/env bash
printf '\357\273\277Name\tSize\r\n'
printf 'notes.txt\t12\r\n'
