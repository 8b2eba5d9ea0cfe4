#include "textflag.h"

// The classes of bytes, a bit each. A byte is of a class when both its digits
// have the bit: low has them for the lower digit, high for the higher one.
//
//	01  " and /             which may be escaped
//	02  \                   which may be escaped, and escapes
//	04  b f n               which may be escaped
//	08  r t u               which may be escaped
//	10  0 to 9              a hexadecimal digit
//	20  A to F, a to f      a hexadecimal digit
//	40  control characters
//	80  "
DATA low<>+0(SB)/8, $0x5074787870fd7050
DATA low<>+8(SB)/8, $0x4144404240405050
DATA low<>+16(SB)/8, $0x5074787870fd7050
DATA low<>+24(SB)/8, $0x4144404240405050
GLOBL low<>(SB), RODATA|NOPTR, $32
DATA high<>+0(SB)/8, $0x0824022010814040
DATA high<>+8(SB)/8, $0x0000000000000000
DATA high<>+16(SB)/8, $0x0824022010814040
DATA high<>+24(SB)/8, $0x0000000000000000
GLOBL high<>(SB), RODATA|NOPTR, $32

// CLASSIFY tells the classes of the 32 bytes in Y0.
#define CLASSIFY \
	VPAND Y13, Y0, Y1; \
	VPSRLW $4, Y0, Y2; \
	VPAND Y13, Y2, Y2; \
	VPSHUFB Y1, Y14, Y1; \
	VPSHUFB Y2, Y15, Y2; \
	VPAND Y1, Y2, Y1

// BITS moves the highest bits of the 64 bytes in two registers into one.
#define BITS(lower, higher, result, scratch) \
	VPMOVMSKB lower, result; \
	VPMOVMSKB higher, scratch; \
	SHLQ $32, scratch; \
	ORQ scratch, result

// func markAVX2(text *byte, ends, escapes *uint64, n int, escaped, hex uint64) (nextEscaped, nextHex, torn uint64)
//
// The steps are those of markPortably. Y3 and Y4 are the bytes of a block, Y5
// and Y6 their classes; AX are the quotes, BX the control characters, DX the
// backslashes, and R8, R9 and R14 the state.
TEXT ·markAVX2(SB), NOSPLIT, $0-72
	MOVQ text+0(FP), SI
	MOVQ ends+8(FP), DI
	MOVQ escapes+16(FP), R10
	MOVQ n+24(FP), CX
	MOVQ escaped+32(FP), R8
	MOVQ hex+40(FP), R9
	XORQ R14, R14
	MOVQ $0xaaaaaaaaaaaaaaaa, R11
	VMOVDQU low<>(SB), Y14
	VMOVDQU high<>(SB), Y15
	MOVQ $0x0f0f0f0f0f0f0f0f, AX
	MOVQ AX, X13
	VPBROADCASTQ X13, Y13
	MOVQ $0x3030303030303030, AX // hexadecimal digits
	MOVQ AX, X12
	VPBROADCASTQ X12, Y12
	MOVQ $0x7575757575757575, AX // u
	MOVQ AX, X11
	VPBROADCASTQ X11, Y11
	VPXOR Y10, Y10, Y10

block:
	TESTQ CX, CX
	JZ done
	VMOVDQU (SI), Y3
	VMOVDQU 32(SI), Y4
	VMOVDQA Y3, Y0
	CLASSIFY
	VMOVDQA Y1, Y5
	VMOVDQA Y4, Y0
	CLASSIFY
	VMOVDQA Y1, Y6
	BITS(Y5, Y6, AX, R12)
	VPADDB Y5, Y5, Y7
	VPADDB Y6, Y6, Y8
	BITS(Y7, Y8, BX, R12)
	VPSLLW $6, Y5, Y7
	VPSLLW $6, Y6, Y8
	BITS(Y7, Y8, DX, R12)
	MOVQ DX, R12
	ORQ R8, R12
	ORQ R9, R12
	JNZ escapes
	ORQ BX, AX
	MOVQ AX, (DI)
	MOVQ DX, (R10)

next:
	ADDQ $64, SI
	ADDQ $8, DI
	ADDQ $8, R10
	DECQ CX
	JMP block

escapes:
	// R12: which bytes begin an escape; R13: which are escaped.
	MOVQ R8, R15
	NOTQ R15
	ANDQ DX, R15
	LEAQ (R15)(R15*1), R12
	ORQ R11, R12
	SUBQ R15, R12
	XORQ R11, R12
	MOVQ DX, R13
	ORQ R8, R13
	XORQ R12, R13
	ANDQ DX, R12
	MOVQ R12, (R10)
	MOVQ R12, R8
	SHRQ $63, R8

	// A quote that is escaped ends nothing.
	MOVQ R13, DX
	NOTQ DX
	ANDQ DX, AX
	ORQ BX, AX

	// What is escaped and may not be.
	VPAND Y13, Y5, Y7
	VPAND Y13, Y6, Y8
	VPCMPEQB Y10, Y7, Y7
	VPCMPEQB Y10, Y8, Y8
	BITS(Y7, Y8, BX, DX)
	ANDQ R13, BX
	ORQ BX, AX

	// R13: which bytes must be hexadecimal digits; R9: those of the next block.
	VPCMPEQB Y11, Y3, Y7
	VPCMPEQB Y11, Y4, Y8
	BITS(Y7, Y8, BX, DX)
	ANDQ BX, R13
	MOVQ R9, BX
	MOVQ R13, R9
	SHRQ $60, R9
	LEAQ (R13)(R13*1), DX
	ORQ DX, BX
	ADDQ DX, DX
	ORQ DX, BX
	ADDQ DX, DX
	ORQ DX, BX
	ADDQ DX, DX
	ORQ DX, BX
	MOVQ R13, DX
	SHRQ $61, DX
	ORQ DX, R9
	SHRQ $1, DX
	ORQ DX, R9
	SHRQ $1, DX
	ORQ DX, R9

	// What must be one and is none.
	VPAND Y12, Y5, Y7
	VPAND Y12, Y6, Y8
	VPCMPEQB Y10, Y7, Y7
	VPCMPEQB Y10, Y8, Y8
	BITS(Y7, Y8, R13, DX)
	ANDQ R13, BX
	MOVQ BX, DX
	ANDQ AX, DX
	ORQ DX, R14
	ORQ BX, AX
	MOVQ AX, (DI)
	JMP next

done:
	VZEROUPPER
	MOVQ R8, nextEscaped+48(FP)
	MOVQ R9, nextHex+56(FP)
	MOVQ R14, torn+64(FP)
	RET
