#if os(Linux)
import HttpConversation
import Testing

@testable import HttpConvAuthFlows

/// The library without a realm: what does not work, and how it says so. Real servers have tests of their own.
@Suite(.timeLimit(.minutes(1))) struct KerberosClientTests {
    private static let clock = ContinuousClock()

    @Test func aMissingLibraryIsNamedWithItsPackage() {
        let error = #expect(throws: KerberosError.self) { try GSSLibrary.load("libgssapi-none.so.2") }
        #expect(error?.code == .libraryMissing)
        #expect(error?.message.contains("libgssapi-none.so.2") == true)
        #expect(error?.message.contains("libgssapi-krb5-2") == true)
    }

    @Test func aLibraryWithoutTheFunctionsIsRefused() {
        let error = #expect(throws: KerberosError.self) { try GSSLibrary.load("libz.so.1") }
        #expect(error?.code == .libraryMissing)
    }

    @Test(arguments: [
        KerberosLogin.Source.cache("FILE:/nowhere/tickets"), .keytab("/nowhere/keytab"), .cache("MEMORY:empty"),
    ]) func withoutTicketsTheErrorSaysSo(_ source: KerberosLogin.Source) async throws {
        let client = KerberosClient(try KerberosLogin(source))
        let error = await #expect(throws: KerberosError.self) {
            _ = try await client.begin(at: "localhost", bindings: nil, within: .seconds(30), clock: Self.clock)
        }
        #expect(error?.code == .noTicket, "\(String(describing: error))")
        #expect(error?.message.contains("kinit") == true)
    }

    @Test func aPasswordOfAnUnknownRealmIsAnErrorWithoutThePassword() async throws {
        let login = try KerberosLogin(.password(Redacted("c4nary")), principal: "alice@NOWHERE.INVALID")
        let client = KerberosClient(login)
        let error = await #expect(throws: KerberosError.self) {
            _ = try await client.begin(at: "localhost", bindings: [1, 2], within: .seconds(30), clock: Self.clock)
        }
        #expect(error?.code == .realmUnreachable, "\(String(describing: error))")
        var dumped = ""
        dump([login as Any, client, error as Any], to: &dumped)
        #expect(!dumped.contains("c4nary") && !"\(login) \(String(reflecting: error))".contains("c4nary"))
    }

    @Test func aCallThatTakesTooLongIsLeftBehind() async throws {
        let client = KerberosClient(KerberosLogin())
        let error = await #expect(throws: KerberosError.self) {
            _ = try await client.begin(at: "localhost", bindings: nil, within: .zero, clock: Now())
        }
        #expect(error?.code == .timedOut || error?.code == .noTicket)
    }

    @Test func aCancelledCallerGetsNoExplanation() async throws {
        let client = KerberosClient(KerberosLogin())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await client.begin(at: "localhost", bindings: nil, within: .seconds(30), clock: Self.clock)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func namesOfServices() throws {
        let hosts = ["intra.example.com", "127.0.0.1", "::1"]
        #expect(
            hosts.map(KerberosLogin().serviceName) == ["HTTP/intra.example.com@", "HTTP/127.0.0.1@", "HTTP/::1@"])
        let other = try KerberosLogin(.cache(), service: "khttp", naming: .hostbased)
        #expect(hosts.map(other.serviceName) == ["khttp@intra.example.com", "khttp@127.0.0.1", "khttp@::1"])
    }

    @Test(
        arguments: [
            (KerberosLogin.Source.cache(), "alice", ""), (.cache(), "alice", "a/b"), (.cache(), "alice", "a@b"),
            (.cache(), "", "HTTP"), (.cache(""), nil, "HTTP"), (.keytab("a\0b"), nil, "HTTP"),
            (.cache("a\nb"), nil, "HTTP"), (.password(Redacted("x")), nil, "HTTP"),
            (.password(Redacted("")), "alice", "HTTP"), (.cache(), "a\u{1b}b", "HTTP"),
        ] as [(KerberosLogin.Source, String?, String)]) func invalidSettingsAreRefused(
            _ source: KerberosLogin.Source, _ principal: String?, _ service: String
        )
    {
        let error = #expect(throws: KerberosError.self) {
            try KerberosLogin(source, principal: principal, service: service)
        }
        #expect(error?.code == .invalidSetting)
    }

    @Test func resultsOfCalls() {
        #expect(!GSSStatus.isFailure(0) && !GSSStatus.isFailure(1) && !GSSStatus.isFailure(32))
        #expect(GSSStatus.isFailure(1 << 16) && GSSStatus.isFailure(1 << 24))
        #expect(GSSStatus.code(7 << 16, "") == .noTicket)
        #expect(GSSStatus.code(11 << 16, "") == .expired)
        #expect(GSSStatus.code(9 << 16, "") == .invalidToken)
        #expect(GSSStatus.code(13 << 16, "Clock skew too great") == .clockSkew)
        #expect(GSSStatus.code(13 << 16, "Unknown error") == .failed)
    }
}

/// A clock whose time is always over.
private struct Now: Clock {
    let now = ContinuousClock.now
    let minimumResolution = Duration.zero
    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
}
#endif
