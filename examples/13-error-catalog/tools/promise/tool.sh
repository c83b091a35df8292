#!/usr/bin/env bash
echo '{"n":"many"}'
