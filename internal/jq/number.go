package jq

import (
	"math"
	"strconv"
)

// appendFloat writes a number as jq does: with as many digits as tell it from its
// neighbours, with an exponent if it is small or has more than 15 zeros at its end.
// NaN is null, and the infinities are the largest numbers.
func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "null"...)
	case math.IsInf(f, 0):
		f = math.Copysign(math.MaxFloat64, f)
	}
	var scratch [32]byte
	short := strconv.AppendFloat(scratch[:0], f, 'e', -1, 64) // -d.ddde±dd
	digits, e := 0, len(short)
	for i, c := range short {
		if c == 'e' {
			e = i
			break
		}
		if '0' <= c && c <= '9' {
			digits++
		}
	}
	exponent, _ := strconv.Atoi(string(short[e+1:]))
	if f != 0 && (exponent < -4 || exponent >= digits+15) {
		return append(b, short...)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}
