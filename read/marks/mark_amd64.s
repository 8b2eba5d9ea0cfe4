#include "textflag.h"

// func markWhole(text *byte, marks *uint64, n int)
//
// In each round, 16 bytes at a time: X4 is -1 where the byte is a quote, X5
// where it is a backslash, X6 where it is at most 31.
TEXT ·markWhole(SB), NOSPLIT, $0-24
	MOVQ text+0(FP), SI
	MOVQ marks+8(FP), DI
	MOVQ n+16(FP), CX
	MOVQ $0x2222222222222222, AX
	MOVQ AX, X8
	PUNPCKLQDQ X8, X8
	MOVQ $0x5c5c5c5c5c5c5c5c, AX
	MOVQ AX, X9
	PUNPCKLQDQ X9, X9
	MOVQ $0x1f1f1f1f1f1f1f1f, AX
	MOVQ AX, X10
	PUNPCKLQDQ X10, X10

#define MARK(offset, mask) \
	MOVOU offset(SI), X0; \
	MOVO X0, X4; \
	MOVO X0, X5; \
	MOVO X0, X6; \
	PCMPEQB X8, X4; \
	PCMPEQB X9, X5; \
	PMINUB X10, X6; \
	PCMPEQB X0, X6; \
	POR X5, X4; \
	POR X6, X4; \
	PMOVMSKB X4, mask

next:
	TESTQ CX, CX
	JZ done
	MARK(0, AX)
	MARK(16, BX)
	MARK(32, R8)
	MARK(48, R9)
	SHLQ $16, BX
	SHLQ $32, R8
	SHLQ $48, R9
	ORQ BX, AX
	ORQ R9, R8
	ORQ R8, AX
	MOVQ AX, (DI)
	ADDQ $64, SI
	ADDQ $8, DI
	DECQ CX
	JMP next

done:
	RET
