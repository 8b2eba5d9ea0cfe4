#include "textflag.h"

// What may be wrong with two bytes that follow each other, a bit each. It is
// wrong when the higher and the lower digit of the first byte and the higher one
// of the second all have the bit.
//
//	01  a byte that begins more is followed by none that goes on
//	02  one that goes on follows ASCII
//	04  three bytes for what two can say
//	08  beyond U+10FFFF
//	10  half a surrogate pair
//	20  two bytes for what one can say
//	40  four bytes for what three can say, or beyond U+13FFFF
//	80  two in a row that go on: right behind the begin of three or four alone
DATA firstHigh<>+0(SB)/8, $0x0202020202020202
DATA firstHigh<>+8(SB)/8, $0x4915012180808080
DATA firstHigh<>+16(SB)/8, $0x0202020202020202
DATA firstHigh<>+24(SB)/8, $0x4915012180808080
GLOBL firstHigh<>(SB), RODATA|NOPTR, $32
DATA firstLow<>+0(SB)/8, $0xcbcbcb8b8383a3e7
DATA firstLow<>+8(SB)/8, $0xcbcbdbcbcbcbcbcb
DATA firstLow<>+16(SB)/8, $0xcbcbcb8b8383a3e7
DATA firstLow<>+24(SB)/8, $0xcbcbdbcbcbcbcbcb
GLOBL firstLow<>(SB), RODATA|NOPTR, $32
DATA secondHigh<>+0(SB)/8, $0x0101010101010101
DATA secondHigh<>+8(SB)/8, $0x01010101babaaee6
DATA secondHigh<>+16(SB)/8, $0x0101010101010101
DATA secondHigh<>+24(SB)/8, $0x01010101babaaee6
GLOBL secondHigh<>(SB), RODATA|NOPTR, $32

// BEFORE moves the block in Y0 on by some bytes and puts the last ones of the
// block before, Y9, in front. Y2 are the second half of the one and the first of
// the other.
#define BEFORE(n, result) VPALIGNR $(16-n), Y2, Y0, result

// func faultAVX2(text *byte, n int) (fault bool)
TEXT ·faultAVX2(SB), NOSPLIT, $0-17
	MOVQ text+0(FP), SI
	MOVQ n+8(FP), CX
	VMOVDQU firstHigh<>(SB), Y15
	VMOVDQU firstLow<>(SB), Y14
	VMOVDQU secondHigh<>(SB), Y13
	MOVQ $0x0f0f0f0f0f0f0f0f, AX
	MOVQ AX, X12
	VPBROADCASTQ X12, Y12
	MOVQ $0x8080808080808080, AX
	MOVQ AX, X11
	VPBROADCASTQ X11, Y11
	MOVQ $0x6060606060606060, AX // 0xe0 and more minus this has the highest bit
	MOVQ AX, X8
	VPBROADCASTQ X8, Y8
	MOVQ $0x7070707070707070, AX // 0xf0 and more minus this has it
	MOVQ AX, X7
	VPBROADCASTQ X7, Y7
	VPXOR Y10, Y10, Y10 // all that is wrong
	VPXOR Y9, Y9, Y9
	XORQ BX, BX // which bytes of the block before are no ASCII

block:
	TESTQ CX, CX
	JZ done
	VMOVDQU (SI), Y0
	VPMOVMSKB Y0, AX
	SHRQ $29, BX
	ORQ AX, BX
	JZ next
	VPERM2I128 $0x21, Y0, Y9, Y2
	BEFORE(1, Y1)
	VPSRLW $4, Y1, Y3
	VPAND Y12, Y3, Y3
	VPSHUFB Y3, Y15, Y3
	VPAND Y12, Y1, Y4
	VPSHUFB Y4, Y14, Y4
	VPSRLW $4, Y0, Y5
	VPAND Y12, Y5, Y5
	VPSHUFB Y5, Y13, Y5
	VPAND Y3, Y4, Y3
	VPAND Y3, Y5, Y3
	BEFORE(2, Y4)
	VPSUBUSB Y8, Y4, Y4
	BEFORE(3, Y5)
	VPSUBUSB Y7, Y5, Y5
	VPOR Y4, Y5, Y4
	VPAND Y11, Y4, Y4
	VPXOR Y3, Y4, Y3
	VPOR Y3, Y10, Y10

next:
	VMOVDQA Y0, Y9
	MOVQ AX, BX
	ADDQ $32, SI
	DECQ CX
	JMP block

done:
	VPTEST Y10, Y10
	SETNE fault+16(FP)
	VZEROUPPER
	RET
