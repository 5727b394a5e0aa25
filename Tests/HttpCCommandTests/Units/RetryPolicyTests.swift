import Foundation
import HttpC
import Testing

@testable import HttpCCommand
@testable import HttpCTerminal

@Suite struct RetryPolicyTests {
    private func policy(
        _ arguments: String..., method: HTTPRequest.Method = .get, isReplayable: Bool = true
    ) throws -> RetryPolicy {
        RetryPolicy(
            try RequestPlan(RequestCommand.parse(arguments + ["http://h/"])), method, isReplayable: isReplayable)
    }

    private func isAgain(_ verdict: RetryPolicy.Verdict) -> Bool {
        if case .again = verdict { true } else { false }
    }

    @Test(
        arguments: [
            (408, true), (429, true), (500, true), (502, true), (503, true), (504, true), (200, false), (301, false),
            (400, false), (401, false), (403, false), (404, false), (407, false), (501, false),
        ])
    func passingStatuses(status: Int, expected: Bool) throws {
        let verdict = try policy("--retry", "2").verdict(.status(status, retryAfter: nil), tries: 1, elapsed: .zero)
        #expect(isAgain(verdict) == expected)
    }

    @Test(
        arguments: [
            (HTTPRequest.Method.get, true), (.head, true), (.put, true), (.delete, true), (.options, true),
            (.post, false), (.patch, false), (.connect, false),
        ] as [(HTTPRequest.Method, Bool)])
    func onlyWhatIsHarmlessTwice(method: HTTPRequest.Method, expected: Bool) throws {
        let policy = try policy("--retry", "2", method: method)
        #expect(isAgain(policy.verdict(.status(503, retryAfter: nil), tries: 1, elapsed: .zero)) == expected)
        let cut = ConversationError(.receiveFailed, "cut")
        #expect(isAgain(policy.verdict(.error(cut), tries: 1, elapsed: .zero)) == expected)
        // After these errors, nothing was sent.
        for code in [ConversationError.Code.connectionFailed, .hostNotResolved] {
            #expect(isAgain(policy.verdict(.error(ConversationError(code, "no")), tries: 1, elapsed: .zero)))
        }
    }

    @Test func whatIsNoUseIsNotTriedAgain() throws {
        let policy = try policy("--retry", "2")
        for code in [ConversationError.Code.authenticationFailed, .certificateNotTrusted, .tooLarge, .outputFailed] {
            #expect(policy.verdict(.error(ConversationError(code, "no")), tries: 1, elapsed: .zero) == .stop(nil))
        }
        // A login that took too long, or whose pages could not be loaded.
        let login = ConversationError(
            .timedOut, "late", underlyingError: CommandFailure(.loginFailed, "The login took too long."))
        #expect(policy.verdict(.error(login), tries: 1, elapsed: .zero) == .stop(nil))
    }

    /// A token endpoint in trouble has refused nobody. It is left alone for two seconds, or as long as it asks for.
    @Test(
        arguments: [
            (.temporarilyUnavailable, nil, .seconds(2)), (.temporarilyUnavailable, .seconds(7), .seconds(7)),
            (.endpointUnreachable, nil, .seconds(2)), (.temporarilyUnavailable, .seconds(700), nil),
            (.accessDenied, nil, nil), (.accessTokenRefused, nil, nil),
        ] as [(OAuth2Error.Code, Duration?, Duration?)])
    func aTokenEndpointInTroubleIsTriedAgain(code: OAuth2Error.Code, asked: Duration?, pause: Duration?) throws {
        let cause = OAuth2Error(code, "no", status: 503, retryAfter: asked)
        let trouble = RetryPolicy.Trouble.error(
            ConversationError(.authenticationFailed, "no token", underlyingError: cause))
        for method in [HTTPRequest.Method.get, .post] {
            let verdict = try policy("--retry", "2", "--retry-delay", "1", method: method)
                .verdict(trouble, tries: 1, elapsed: .zero)
            if let pause { #expect(verdict == .again(in: pause)) } else { #expect(!isAgain(verdict)) }
        }
    }

    @Test func aBodyThatCanBeReadOnceIsNeverSentAgain() throws {
        let policy = try policy("--retry", "2", method: .put, isReplayable: false)
        let trouble = RetryPolicy.Trouble.error(ConversationError(.connectionFailed, "no"))
        #expect(!isAgain(policy.verdict(trouble, tries: 1, elapsed: .zero)))
    }

    @Test func whatWasPrintedIsNotPrintedAgain() throws {
        let cut = RetryPolicy.Trouble.error(ConversationError(.bodyCut, "cut"))
        let policy = try policy("--retry", "2")
        #expect(isAgain(policy.verdict(cut, tries: 1, elapsed: .zero)))
        #expect(!isAgain(policy.verdict(cut, tries: 1, elapsed: .zero, hasOutput: true)))
    }

    @Test func pausesGrow() throws {
        let trouble = RetryPolicy.Trouble.status(503, retryAfter: nil)
        let policy = try policy("--retry", "20")
        let pauses = (1...12).map { policy.verdict(trouble, tries: $0, elapsed: .zero) }
        #expect(Array(pauses.prefix(3)) == [.again(in: .seconds(1)), .again(in: .seconds(2)), .again(in: .seconds(4))])
        #expect(pauses.last == .again(in: .seconds(600)))
        #expect(policy.verdict(trouble, tries: 20, elapsed: .zero) == .again(in: .seconds(600)))
        #expect(policy.verdict(trouble, tries: 21, elapsed: .zero) == .stop(nil))
    }

    @Test(
        arguments: [
            ([], 30, 30), (["--retry-delay", "5"], 30, 30), (["--retry-delay", "5"], nil, 5),
            (["--retry-delay", "0"], nil, 1), ([], 0, 1), (["--retry-delay", "5"], 0, 5), ([], 601, nil),
            ([], 1_000_000_000, nil), (["--retry-max-time", "60"], 50, 50), (["--retry-max-time", "60"], 61, nil),
        ] as [([String], Int?, Int?)])
    func serversSayWhen(options: [String], asked: Int?, expected: Int?) throws {
        let policy = RetryPolicy(
            try RequestPlan(RequestCommand.parse(["--retry", "1"] + options + ["http://h/"])), .get, isReplayable: true)
        let trouble = RetryPolicy.Trouble.status(429, retryAfter: asked.map { .seconds($0) })
        let verdict = policy.verdict(trouble, tries: 1, elapsed: .zero)
        if let expected { #expect(verdict == .again(in: .seconds(expected))) } else { #expect(!isAgain(verdict)) }
    }

    @Test(
        arguments: [
            ("120", 120), (" 7 ", 7), ("-1", nil), ("", nil), ("1.5", nil), ("soon", nil), ("0", 0),
            ("99999999999999999999999", 1_000_000_000), ("Thu, 01 Jan 1970 00:02:00 GMT", 60),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 1_000_000_000),
            ("Thu, 99 Jan 1970 00:00:00 GMT", nil),
        ] as [(String, Int?)])
    func retryAfter(text: String, seconds: Int?) {
        let head = HTTPResponse(status: .tooManyRequests, headerFields: [.retryAfter: text])
        let now = Date(timeIntervalSince1970: 60)
        #expect(RetryAfter.read(head.headerFields, now: now) == seconds.map { Duration.seconds($0) })
    }

    /// A date is compared with the server's clock, however wrong that is.
    @Test(
        arguments: [
            ("Thu, 01 Jan 1970 00:00:30 GMT", 30), ("Thu, 01 Jan 1970 00:01:30 GMT", 0), ("soon", 60),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 0),
        ])
    func datesGoByTheServersClock(date: String, seconds: Int) {
        let fields: HTTPFields = [.date: date, .retryAfter: "Thu, 01 Jan 1970 00:01:00 GMT"]
        #expect(RetryAfter.read(fields, now: Date(timeIntervalSince1970: 0)) == .seconds(seconds))
        #expect(RetryAfter.read([.date: date, .retryAfter: "7"], now: .now) == .seconds(7))
    }

    @Test func twoTimesAreNone() {
        var head = HTTPResponse(status: .tooManyRequests)
        head.headerFields[values: .retryAfter] = ["1", "2"]
        #expect(RetryAfter.read(head.headerFields, now: .now) == nil)
    }

    @Test(arguments: [
        ["--retry", "-1"], ["--retry-delay", "-1"], ["--retry-max-time", "-1"], ["--parallel-max", "0"],
        ["--retry-delay", "1e9"], ["--retry-max-time", "nan"],
    ])
    func numbersThatAreNone(arguments: [String]) {
        #expect(throws: (any Error).self) { try TransferOptions.parse(arguments) }
    }
}
