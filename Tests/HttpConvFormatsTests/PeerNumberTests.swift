import Foundation
import HttpConvFormats
import Testing

@Suite struct PeerNumberTests {
    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("9223372036854775807", .max), ("-9223372036854775808", .min), ("-0", 0),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("", nil), ("-", nil), ("--1", nil),
            ("+1", nil), ("1 ", nil), ("1e3", nil), ("٣", nil), ("0x10", nil), ("nan", nil),
        ] as [(String, Int?)])
    func whole(text: String, expected: Int?) {
        #expect(PeerNumber.integer(text, in: Int.min...Int.max) == expected)
        #expect(PeerNumber.integer(text.utf8, as: Int.self) == expected)
    }

    @Test func aRangeRefuses() {
        #expect(PeerNumber.integer("65535", in: 1...65_535) == 65_535)
        #expect(PeerNumber.integer("65536", in: 1...65_535) == nil)
        #expect(PeerNumber.integer("0", in: 1...65_535) == nil)
        // A range without negative numbers has no minus.
        #expect(PeerNumber.integer("-0", in: 0...9) == nil)
        #expect(PeerNumber.integer("300", in: UInt8.min...UInt8.max) == nil)
    }

    @Test(
        arguments: [("5", 5), ("101", 100), ("99999999999999999999999999", 100), ("-1", nil), ("", nil), ("x", nil)]
            as [(String, Int?)])
    func clampedText(text: String, expected: Int?) {
        #expect(PeerNumber.integer(text, clampingTo: 100) == expected)
    }

    @Test(
        arguments: [
            (1.9, 1), (-1.9, -1), (1e300, 50), (-1e300, -50), (.infinity, 50), (-.infinity, -50), (.nan, nil),
            (9.3e18, 50), (.leastNonzeroMagnitude, 0),
        ] as [(Double, Int?)])
    func clampedNumber(number: Double, expected: Int?) {
        #expect(PeerNumber.integer(number, clampingTo: -50...50) == expected)
    }

    @Test(
        arguments: [
            ("1.5", 1.5), ("-2e3", -2000), ("1e999", nil), ("nan", nil), ("inf", nil), ("infinity", nil),
            ("0x1p3", nil), ("", nil), ("e", nil), (" 1", nil), (String(repeating: "1", count: 401), nil),
        ] as [(String, Double?)])
    func decimal(text: String, expected: Double?) {
        #expect(PeerNumber.decimal(text) == expected)
    }

    @Test(
        arguments: [
            (5, .seconds(5)), (0.5, .seconds(1)), (1e300, .seconds(60)), (.infinity, .seconds(60)),
            (-.infinity, .seconds(1)), (.nan, nil),
        ] as [(Double, Duration?)])
    func seconds(number: Double, expected: Duration?) {
        #expect(PeerNumber.seconds(number, clampingTo: .seconds(1) ... .seconds(60)) == expected)
    }

    @Test func dates() {
        #expect(PeerNumber.date(secondsSince1970: 60) == Date(timeIntervalSince1970: 60))
        for seconds in [Double.nan, .infinity, -.infinity, 1e15, -1e15] {
            #expect(PeerNumber.date(secondsSince1970: seconds) == nil)
        }
    }
}
