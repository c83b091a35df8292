#!/usr/bin/env bash
echo 0 >counter.txt
