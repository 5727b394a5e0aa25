import Foundation
import HttpConvFormats
import Testing

@Suite struct TextTests {
    private func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    @Test(
        arguments: [
            ("/Date(1484028633406)/", 1_484_028_633, 406_000_000, nil), ("/Date(-1)/", -1, 999_000_000, nil),
            ("/Date(0+0060)/", 0, 0, 60), ("/Date(0-120)/", 0, 0, -120),
            ("2017-01-10T06:10:33.406Z", 1_484_028_633, 406_000_000, 0),
            ("2017-01-10T07:10:33.4060001+01:00", 1_484_028_633, 406_000_100, 60),
            ("2017-01-10T06:10:33", 1_484_028_633, 0, nil), ("2017-01-10T06:10Z", 1_484_028_600, 0, 0),
            ("1600-02-29T00:00:00Z", -11_670_998_400, 0, 0), ("0001-01-01T00:00:00", -62_135_596_800, 0, nil),
            ("9999-12-31T23:59:59.9999999", 253_402_300_799, 999_999_900, nil),
        ] as [(String, Int64, Int32, Int?)])
    func times(_ text: String, _ seconds: Int64, _ nanoseconds: Int32, _ offset: Int?) {
        #expect(Timestamp(bytes(text)) == Timestamp(seconds: seconds, nanoseconds: nanoseconds, offset: offset))
    }

    @Test(arguments: [
        "", "/Date()/", "/Date(99999999999999999999)/", "/Date(1e3)/", "/Date(999999999999999)/", "2017-02-29T00:00:00",
        "2017-13-01T00:00:00", "2017-01-10T24:00:00", "2017-01-10T06:60:00", "2017-01-10T06:10:33.",
        "17-01-10T06:10:33",
        "2017-01-10T06:10:33+25:00", "2017-01-10T06:10:33 ", "0000-01-01T00:00:00", "2017-01-1-T00:00:00", "/Date(1)",
        "/Date(0+-9223372036854775808)/", "/Date(0--9223372036854775808)/", "/Date(0+9223372036854775807)/",
        "/Date(0+-60)/", "/Date(0+841)/", "/Date(-9223372036854775808)/", "/Date(9223372036854775807+0840)/",
    ])
    func invalidTimes(_ text: String) { #expect(Timestamp(bytes(text)) == nil) }

    @Test(arguments: ["2017-01-10T06:10:33.406Z", "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999+05:30"])
    func timesAreReadBack(_ text: String) throws {
        let stamp = try #require(Timestamp(bytes(text)))
        #expect(stamp.calendarText + stamp.zoneText == text)
    }

    @Test(
        arguments: [
            ("PT0S", .zero), ("P1DT2H3M4.5S", .milliseconds(93_784_500)), ("-PT1M", .seconds(-60)),
            ("P7D", .seconds(604_800)),
            ("PT13H20M", .seconds(48_000)),
            ("PT0.000000000000000001S", Duration(secondsComponent: 0, attosecondsComponent: 1)),
        ] as [(String, Duration)])
    func durations(_ text: String, _ duration: Duration) {
        #expect(DurationText.duration(bytes(text)) == duration)
        #expect(DurationText.duration(bytes(DurationText.text(duration))) == duration)
    }

    @Test(arguments: [
        "", "P", "PT", "P1Y", "P1M", "PT1H2H", "PT1S1M", "1D", "PT1.5M", "P1DT", "PT99999999999999999H", "P-1D",
    ])
    func invalidDurations(_ text: String) { #expect(DurationText.duration(bytes(text)) == nil) }

    @Test(arguments: [
        "0", "1", "-1.50", "0.1", "12345678901234567890.123456789012345678", "99999999999999999999999999999999999999",
        "1e3", "1.5E-7", "1000000", "0.000000000000000000000000000001", "-0.0", "+3", "100e-2",
    ])
    func decimalsAreExact(_ text: String) throws {
        let expected = try #require(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")))
        #expect(EdmText.decimal(text.utf8) == expected)
    }

    @Test(arguments: [
        "", "-", ".", "1.2.3", "1e", "1e999999999", "1e1000000", "abc", "0x10", "NaN", "1 ",
        "123456789012345678901234567890123456789", "1e128", "1e-300", "--1",
    ])
    func invalidDecimalsAreNotRounded(_ text: String) { #expect(EdmText.decimal(text.utf8) == nil) }

    @Test(arguments: [
        "0.1", "1", "-2.5", "1e300", "123456789012345678", "3.141592653589793", "9007199254740993", "1E-7",
    ])
    func doubles(_ text: String) { #expect(EdmText.double(bytes(text)) == Double(text)) }

    @Test(arguments: ["", "0x1p3", "1e999", "inf", "nan", "1,5", "infinity"])
    func invalidDoubles(_ text: String) { #expect(EdmText.double(bytes(text)) == nil) }

    @Test func wholeNumbersHaveARange() {
        #expect(PeerNumber.integer("-9223372036854775808".utf8, as: Int64.self) == .min)
        #expect(PeerNumber.integer("9223372036854775808".utf8, as: Int64.self) == nil)
        #expect(PeerNumber.integer("18446744073709551615".utf8, as: UInt64.self) == .max)
        #expect(PeerNumber.integer("-1".utf8, as: UInt8.self) == nil)
        #expect(PeerNumber.integer("".utf8, as: Int.self) == nil)
        #expect(PeerNumber.integer("-".utf8, as: Int.self) == nil)
    }

    @Test(arguments: ["AQID", "-_-_", "+/+/", "AQ==", "AQ", "AQI", ""])
    func binary(_ text: String) { #expect(EdmText.binary(text) != nil) }

    @Test(arguments: ["A", "A*==", "AQIDB"])
    func invalidBase64(_ text: String) { #expect(EdmText.binary(text) == nil) }
}
