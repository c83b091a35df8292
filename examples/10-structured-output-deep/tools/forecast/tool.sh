#!/usr/bin/env bash
# Two promises broken, deep inside: the third day has no wind, the second one is
# too hot to be true.
echo '{"days":[{"high":21,"wind":3},{"high":99,"wind":4},{"high":19}]}'
