import Testing

@testable import HttpCCommand

@Suite struct TransferReportTests {
    /// Six digits, rounded as in the JSON.
    @Test(arguments: [
        (Duration.zero, "0.000000"), (.nanoseconds(499), "0.000000"), (.nanoseconds(500), "0.000001"),
        (.nanoseconds(1_234_567_890), "1.234568"), (.milliseconds(59_999), "59.999000"),
        (.nanoseconds(999_999_500), "1.000000"),
    ])
    func seconds(time: Duration, printed: String) { #expect(TransferReport.Value.seconds(time).printed == printed) }
}
