#include "textflag.h"

// func Descriptor() uintptr
TEXT ·Descriptor(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET

// func framePointer() uintptr
TEXT ·framePointer(SB), NOSPLIT, $0-8
	MOVD R29, R0
	MOVD R0, ret+0(FP)
	RET
