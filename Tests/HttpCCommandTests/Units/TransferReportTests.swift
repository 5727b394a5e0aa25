import HTTPTypes
import HttpC
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

    /// As with curl, a text that is not there is `null` in the JSON, and empty elsewhere.
    @Test func textsThatAreNotThere() throws {
        var report = TransferReport(
            url: try TargetURL("http://h/"), index: 0, method: .get, beganAt: ContinuousClock.now)
        let names = ["errormsg", "content_type", "filename_effective", "redirect_url", "referer"]
        for name in names {
            #expect(report.values[name]?.json == .null && report.values[name]?.printed == "", "\(name)")
        }
        report.message = "No."
        report.file = "out"
        report.referer = "http://r/"
        report.head = HTTPResponse(
            status: .found, headerFields: [.contentType: "text/plain", .location: "http://there/"])
        for name in names {
            guard case .string(let text)? = report.values[name]?.json else { Issue.record("\(name)"); continue }
            #expect(!text.isEmpty && report.values[name]?.printed == text)
        }
    }

    /// As with curl, the status of a proxy that refuses a tunnel is not the server's.
    @Test func aTunnelThatIsRefused() throws {
        var report = TransferReport(
            url: try TargetURL("https://h/"), index: 0, method: .get, beganAt: ContinuousClock.now)
        report.facts.status = 407
        #expect(try WriteOut("%{http_code}").text(report).output == "407")
        report.isTunnelRefused = true
        #expect(try WriteOut("%{http_code}").text(report).output == "000")
    }
}
