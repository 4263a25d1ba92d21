#include "textflag.h"

// func Descriptor() uintptr
TEXT ·Descriptor(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// func framePointer() uintptr
TEXT ·framePointer(SB), NOSPLIT, $0-8
	MOVQ BP, AX
	MOVQ AX, ret+0(FP)
	RET
