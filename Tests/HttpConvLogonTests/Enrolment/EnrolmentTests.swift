import Foundation
import HttpConvCertificates
import HttpConvLogon
import HttpConversation
import HttpConversationTesting
import TestLandscape
import Testing

/// A device gets its certificate, and never accepts a wrong one.
@Suite("Enrolment", .timeLimit(.minutes(1))) struct EnrolmentTests {
    @Test(arguments: HTTPSEnrolment.Key.allCases) func byChallengePassword(key: HTTPSEnrolment.Key) async throws {
        try await withEnrolment { bench in
            var enrolment = try bench.enrolment()
            enrolment.key = key
            let request = bench.request()
            let enrolled = try await enrolment.enrol(request)
            #expect(enrolled.identity.summary.subject == "CN=alice")
            #expect(enrolled.identity.certificates.count == 2)
            #expect(try await bench.name(shownBy: enrolled) == "CN=alice\n")
            // The challenge password is valid once, and for one name.
            #expect(await enrolmentError { try await enrolment.enrol(request) }?.code == .notAllowed)
            var other = bench.request("bob")
            other.commonName = "alice"
            #expect(await enrolmentError { try await enrolment.enrol(other) }?.code == .notAllowed)
            #expect(bench.landscape.enrolmentCounters == .of(issued: 1, refused: 2))
        }
    }

    @Test(arguments: ["x", "pass word: (1)?", "pässwörd§ 密"]) func anyChallengePassword(password: String) async throws {
        try await withEnrolment { bench in
            let request = EnrolmentRequest(commonName: "alice", challengePassword: password)
            #expect(await enrolmentError { try await bench.enrolment().enrol(request) }?.code == .notAllowed)
            #expect(bench.landscape.enrolmentCounters == .of(refused: 1))
        }
    }

    @Test func byTheLoginsOfTheManager() async throws {
        try await withEnrolment { bench in
            let enrolled = try await bench.enrolment("basic", bench.manager("alice")).enrol(
                EnrolmentRequest(commonName: "alice"))
            #expect(try await bench.name(shownBy: enrolled) == "CN=alice\n")
            let requests = bench.landscape.requests(path: "/enrol/basic")
            #expect(requests.map(\.status) == [401, 200])
            for (manager, name) in [(bench.manager(), "alice"), (bench.manager("alice"), "bob")] {
                let enrolment = try bench.enrolment("basic", manager)
                let error = await enrolmentError { try await enrolment.enrol(EnrolmentRequest(commonName: name)) }
                #expect(error?.code == .notAllowed)
            }
        }
    }

    @Test func overATransport() async throws {
        try await withEnrolment { bench in
            let enrolment = try HTTPSEnrolment(
                transport: bench.transport, at: bench.landscape.url(.secure, "/enrol/basic"),
                .password("alice", "wonderland"))
            let request = EnrolmentRequest(
                commonName: "alice", organizationalUnit: "com.example.app", organization: "Example, Inc.")
            let enrolled = try await enrolment.enrol(request)
            #expect(try await bench.name(shownBy: enrolled).contains("OU=com.example.app"))
        }
    }

    // MARK: What goes wrong

    private static let expected: [EnrolmentFault: EnrolmentError.Code] = [
        .otherKey: .wrongKey, .otherSubject: .wrongSubject, .expired: .expired, .notYetValid: .notYetValid,
        .shortLived: .expired, .wrongAuthority: .wrongIssuer, .forged: .wrongIssuer, .authority: .wrongUsage,
        .serverPurpose: .wrongUsage, .wrongOrder: .wrongKey, .stranger: .wrongIssuer, .many: .malformedAnswer,
        .withKey: .malformedAnswer, .der: .malformedAnswer, .garbage: .malformedAnswer, .cut: .malformedAnswer,
        .empty: .malformedAnswer, .huge: .tooLarge, .endless: .tooLarge, .slow: .conversationFailed,
        .page: .notAnEnrolmentServer, .portal: .notAnEnrolmentServer, .redirect: .notAnEnrolmentServer,
        .repeatElsewhere: .notAnEnrolmentServer, .unavailable: .serverFailed,
    ]

    @Test(arguments: EnrolmentFault.allCases, [false, true])
    func wrongCertificatesAreRefused(fault: EnrolmentFault, isRenewal: Bool) async throws {
        let expected = try #require(Self.expected[fault])
        try await withEnrolment { bench in
            var enrolment = try bench.enrolment()

            let old = try await enrolment.enrol(bench.request())
            // Long enough for the request to arrive, even on a busy machine.
            if fault == .slow { enrolment.timeout = .seconds(8) }
            bench.landscape.enrolmentFault = fault
            let error = await enrolmentError {
                isRenewal ? try await enrolment.renew(old) : try await enrolment.enrol(bench.request())
            }
            #expect(error?.code == expected)
            #expect(error?.message.contains("127.0.0.1") == true || expected == .conversationFailed)
            if fault == .slow { #expect((error?.underlyingError as? ConversationError)?.code == .timedOut) }
            // The request arrived, and went to no other server.
            #expect(bench.landscape.enrolmentCounters.issued == 2)
            #expect(bench.landscape.requests(origin: .secureOther).isEmpty)
            #expect(bench.landscape.requests(origin: .other).isEmpty)
        }
    }

    /// Without authorities every valid chain is accepted, and the servers decide.
    @Test func anyAuthority() async throws {
        try await withEnrolment { bench in
            var enrolment = try bench.enrolment()
            enrolment.authorities = nil
            bench.landscape.enrolmentFault = .wrongAuthority
            let enrolled = try await enrolment.enrol(bench.request())
            await #expect(throws: ConversationError.self) { try await bench.name(shownBy: enrolled) }
            bench.landscape.enrolmentFault = .forged
            #expect(await enrolmentError { try await enrolment.enrol(bench.request()) }?.code == .wrongIssuer)
        }
    }

    @Test(arguments: [
        "http://ca.example.com/enrol", "http://127.0.0.1/enrol", "https://alice:secret@ca.example.com/enrol",
        "ca.example.com", "https:///", "ftp://ca.example.com/",
    ]) func onlyOverHTTPS(address: String) {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let manager = HttpConversationManager(transport: transport)
        for renewal in [nil, address] {
            let error = #expect(throws: EnrolmentError.self) {
                try HTTPSEnrolment(
                    manager, at: renewal == nil ? address : "https://ca.example.com/", renewingAt: renewal)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test(arguments: [
        EnrolmentRequest(commonName: ""), EnrolmentRequest(commonName: String(repeating: "a", count: 65)),
        EnrolmentRequest(commonName: "a\u{0}b"), EnrolmentRequest(commonName: "a\u{202E}b"),
        EnrolmentRequest(commonName: "a", organizationalUnit: "\n"),
        EnrolmentRequest(commonName: "a", organization: ""),
        EnrolmentRequest(commonName: "a", challengePassword: ""),
        EnrolmentRequest(commonName: "a", challengePassword: String(repeating: "a", count: 256)),
    ]) func whatCannotBeAskedFor(request: EnrolmentRequest) async throws {
        let transport = ScriptedTransport { _, _ in .init(.ok) }
        let enrolment = try HTTPSEnrolment(HttpConversationManager(transport: transport), at: "https://ca.example.com/")
        #expect(await enrolmentError { try await enrolment.enrol(request) }?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    @Test func theRequestHasTheNeededNames() async throws {
        let transport = ScriptedTransport { _, _ in .init(.notFound) }
        let enrolment = try HTTPSEnrolment(
            HttpConversationManager(transport: transport), at: "https://ca.example.com/x")
        let request = EnrolmentRequest(commonName: "alice", challengePassword: "open sesame")
        let error = await enrolmentError { try await enrolment.enrol(request) }
        #expect(error?.code == .refused)
        #expect(transport.requests.map { "\($0.method) \($0.target)" } == ["POST https://ca.example.com/x"])
        #expect(transport.requests.first?.headerFields[.contentType] == "application/pkcs10")
        #expect(!"\(request) \(String(reflecting: request)) \(error.debugDescription)".contains("sesame"))
    }

    @Test func cancelled() async throws {
        try await withEnrolment { bench in
            let gate = bench.landscape.holdEnrolment()
            let enrolment = try bench.enrolment()
            let task = Task { await enrolmentError { try await enrolment.enrol(bench.request()) }?.code }
            try await gate.waitForWaiters(1)
            task.cancel()
            #expect(await task.value == .cancelled)
        }
    }

    // MARK: What is stored

    @Test func storedIdentitiesAreReadBack() async throws {
        try await withEnrolment { bench in
            let enrolled = try await bench.enrolment().enrol(bench.request())
            let bytes = try JSONEncoder().encode(enrolled)
            let read = try JSONDecoder().decode(EnrolledIdentity.self, from: bytes)
            #expect(read == enrolled)
            #expect(read.identity.summary == enrolled.identity.summary)
            #expect(try await bench.name(shownBy: read) == "CN=alice\n")
            let key = try #require(try JSONDecoder().decode([String: Key].self, from: bytes)["key"]?.text)
            #expect(!"\(enrolled) \(String(reflecting: enrolled))".contains(key.prefix(20)))
        }
    }

    private struct Key: Decodable {
        let text: String?
        init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }

    @Test(arguments: [#"{}"#, #"{"certificates":[],"key":"eA=="}"#, #"{"certificates":["eA=="],"key":"eA=="}"#])
    func invalidIdentitiesAreNotRead(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(EnrolledIdentity.self, from: Data(text.utf8))
        }
    }
}

extension EnrolmentCounters {
    static func of(issued: Int = 0, renewed: Int = 0, malformed: Int = 0, refused: Int = 0) -> EnrolmentCounters {
        var counters = EnrolmentCounters()
        (counters.issued, counters.renewed) = (issued, renewed)
        (counters.malformed, counters.refused) = (malformed, refused)
        return counters
    }
}
