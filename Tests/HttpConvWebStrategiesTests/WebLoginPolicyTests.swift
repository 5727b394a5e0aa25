import HTTPTypes
import HttpC
import Testing

/// The policy of all views, event by state.
@Suite struct WebLoginPolicyTests {
    /// The events that a policy has seen before the one of a test.
    enum State: CaseIterable {
        case start, page, trying, over
    }

    private static let origin = "https://sp.example.com"

    private static func login(hasTrial: Bool) throws -> WebLogin {
        let start = try TargetURL("\(origin)/report")
        guard hasTrial else {
            return WebLogin(.saml2, start: start, cookieTargets: [start], returnsCookies: true) {
                $0 == "\(origin)/done"
            }
        }
        let trial = WebLoginTrial(at: start.origin) { _ in true }
        return WebLogin(.webLogin, start: start, cookieTargets: [start], trial: trial)
    }

    private static func policy(in state: State, isAttended: Bool, hasTrial: Bool) throws -> WebLoginPolicy {
        var policy = WebLoginPolicy(try login(hasTrial: hasTrial), isAttended: isAttended)
        switch state {
        case .start: break
        case .page: _ = policy.decide(.arrived("https://idp.example.com/login"))
        case .trying: _ = policy.decide(.response(from: "\(origin)/a", status: 200, isMainFrame: true))
        case .over: _ = policy.decide(.crashed)
        }
        return policy
    }

    private static func name(_ action: WebLoginPolicy.Action) -> String {
        switch action {
        case .allow: "allow"
        case .refuse: "refuse"
        case .finish(let url): "finish \(url)"
        case .tryResource: "try"
        case .openApplication: "open"
        case .askProviders: "ask"
        case .closeDialog(let isAccepted): "close \(isAccepted)"
        case .fail(let error): "fail \(error.code)"
        }
    }

    /// An event with the actions that it leads to at the start of a login: with a person, and without.
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let event: WebLoginPolicy.Event
        let attended: String
        let alone: String
        /// With a page that was shown, and a person.
        let afterPage: String
        let hasTrial: Bool
        var testDescription: String { name }

        init(
            _ name: String, _ event: WebLoginPolicy.Event, _ attended: String, alone: String? = nil,
            afterPage: String? = nil, hasTrial: Bool = false
        ) {
            self.name = name
            self.event = event
            self.attended = attended
            self.alone = alone ?? attended
            self.afterPage = afterPage ?? attended
            self.hasTrial = hasTrial
        }
    }

    private static let done = "\(origin)/done"
    private static let rows: [Row] = [
        Row("a page", .navigation(to: "https://idp.example.com/", .link, isMainFrame: true), "allow"),
        Row("a script's page", .navigation(to: "about:blank", .other, isMainFrame: true), "allow"),
        Row("an application", .navigation(to: "tel:1", .link, isMainFrame: true), "refuse"),
        Row("a file of the machine", .navigation(to: "file:///etc/passwd", .redirect, isMainFrame: true), "refuse"),
        Row("the end", .navigation(to: done, .redirect, isMainFrame: true), "finish \(done)"),
        Row("the end by a form", .navigation(to: done, method: .post, .form, isMainFrame: true), "finish \(done)"),
        Row("the end in a frame", .navigation(to: done, .link, isMainFrame: false), "allow"),
        Row("an application in a frame", .navigation(to: "tel:1", .link, isMainFrame: false), "refuse"),
        Row("the end in a window", .newWindow(done), "allow"),
        Row("an application in a window", .newWindow("intent://x"), "refuse"),
        Row("a response", .response(from: "\(origin)/a", status: 200, isMainFrame: true), "allow"),
        Row("an arrival", .response(from: "\(origin)/a", status: 200, isMainFrame: true), "try", hasTrial: true),
        Row("one with an error", .response(from: "\(origin)/a", status: 500, isMainFrame: true), "try", hasTrial: true),
        Row("one in a frame", .response(from: "\(origin)/a", status: 200, isMainFrame: false), "allow", hasTrial: true),
        Row(
            "one elsewhere", .response(from: "https://evil.example/a", status: 200, isMainFrame: true), "allow",
            hasTrial: true),
        Row(
            "one at another port", .response(from: "\(origin):444/a", status: 200, isMainFrame: true), "allow",
            hasTrial: true),
        Row(
            "a code on its way", .response(from: "\(origin)/cb?code=1", status: 200, isMainFrame: true), "allow",
            hasTrial: true),
        Row(
            "an artifact on its way", .response(from: "\(origin)/acs?x=1&SAMLart=1", status: 200, isMainFrame: true),
            "allow", hasTrial: true),
        Row(
            "a ticket on its way", .response(from: "\(origin)/?ticket=ST-1", status: 200, isMainFrame: true), "allow",
            hasTrial: true),
        Row("a page that is shown", .arrived("\(origin)/a"), "allow"),
        Row("an alert", .dialog(.alert), "allow", alone: "close false"),
        Row("a confirmation", .dialog(.confirmation), "allow", alone: "close false"),
        Row("a prompt", .dialog(.prompt), "allow", alone: "close false"),
        Row("leaving a page", .dialog(.beforeUnload), "allow", alone: "close true"),
        Row("a download", .download("\(origin)/file"), "refuse"),
        Row("nothing to show", .failed(.nothingToShow, detail: "204", isMainFrame: true), "allow"),
        Row("a certificate", .failed(.certificate, detail: "x", isMainFrame: true), "fail pageFailed"),
        Row(
            "a network", .failed(.network, detail: "x", isMainFrame: true), "fail pageFailed", afterPage: "allow"),
        Row("a proxy", .failed(.proxy, detail: "x", isMainFrame: true), "fail pageFailed", afterPage: "allow"),
        Row("a certificate in a frame", .failed(.certificate, detail: "x", isMainFrame: false), "allow"),
        Row("a window that is closed", .closed, "fail cancelled", alone: "fail pageFailed"),
        Row("a crash", .crashed, "fail browserFailed"),
        Row("a trial that nobody began", .tried(true), "allow"),
    ]

    @Test(arguments: rows) func everyEvent(_ row: Row) throws {
        var policy = try Self.policy(in: .start, isAttended: true, hasTrial: row.hasTrial)
        #expect(Self.name(policy.decide(row.event)) == row.attended)
        policy = try Self.policy(in: .start, isAttended: false, hasTrial: row.hasTrial)
        #expect(Self.name(policy.decide(row.event)) == row.alone)
        policy = try Self.policy(in: .page, isAttended: true, hasTrial: row.hasTrial)
        #expect(Self.name(policy.decide(row.event)) == row.afterPage)
        // Nothing happens after the end.
        policy = try Self.policy(in: .over, isAttended: true, hasTrial: row.hasTrial)
        #expect(Self.name(policy.decide(row.event)) == "refuse")
    }

    @Test func aTrialEndsTheLoginOrNot() throws {
        var policy = try Self.policy(in: .trying, isAttended: true, hasTrial: true)
        #expect(Self.name(policy.decide(.tried(true))) == "finish \(Self.origin)/a")
        #expect(policy.isOver)
        policy = try Self.policy(in: .trying, isAttended: true, hasTrial: true)
        #expect(Self.name(policy.decide(.tried(false))) == "allow")
        #expect(!policy.isOver)
        #expect(Self.name(policy.decide(.tried(true))) == "allow")
    }

    /// The cookies may have come between the trial and its answer.
    @Test func anArrivalDuringATrialIsTriedAfterIt() throws {
        var policy = try Self.policy(in: .trying, isAttended: true, hasTrial: true)
        let second = WebLoginPolicy.Event.response(from: "\(Self.origin)/b", status: 200, isMainFrame: true)
        #expect(Self.name(policy.decide(second)) == "allow")
        #expect(Self.name(policy.decide(.tried(false))) == "try")
        #expect(Self.name(policy.decide(.tried(true))) == "finish \(Self.origin)/b")
    }

    // MARK: Trials

    private func cookie(_ name: String, _ value: String, domain: String = "sp.example.com", isHostOnly: Bool = true)
        -> Cookie
    {
        Cookie(name: name, value: value, domain: domain, isHostOnly: isHostOnly, isSecure: true)
    }

    @Test func onlyNewCookiesOfTheResourceAreTried() async throws {
        let sent = Sent()
        let origin = try TargetURL(Self.origin).origin
        let trial = WebLoginTrial(at: origin, knowing: [cookie("old", "1")]) { cookies in
            await sent.add(cookies.map(\.name))
            return cookies.contains { $0.name == "session" }
        }
        #expect(try await !trial.attempt([cookie("old", "1")]))
        #expect(try await !trial.attempt([cookie("old", "1"), cookie("session", "x", domain: "evil.example")]))
        #expect(await sent.all.isEmpty)
        #expect(try await !trial.attempt([cookie("old", "2"), cookie("idp", "x", domain: "idp.example.com")]))
        #expect(try await !trial.attempt([cookie("old", "2")]))
        #expect(try await !trial.attempt([cookie("old", "1")]))
        #expect(await sent.all == [["old"]])
        #expect(try await trial.attempt([cookie("old", "2"), cookie("session", "x")]))
        #expect(trial.hasSucceeded)
        #expect(try await trial.attempt([cookie("other", "x")]))
        #expect(await sent.all.count == 2)
    }

    @Test func fiveTriesAreEnough() async throws {
        let sent = Sent()
        let trial = WebLoginTrial(at: try TargetURL(Self.origin).origin) { cookies in
            await sent.add(cookies.map(\.value))
            return false
        }
        for number in 0..<WebLoginTrial.maximumTries {
            #expect(try await !trial.attempt([cookie("a", "\(number)")]))
        }
        let error = await #expect(throws: WebLoginError.self) { try await trial.attempt([cookie("a", "last")]) }
        #expect(error?.code == .challengedAgain)
        #expect(await sent.all.count == 5)
    }

    private actor Sent {
        var all: [[String]] = []
        func add(_ texts: [String]) { all.append(texts) }
    }
}
