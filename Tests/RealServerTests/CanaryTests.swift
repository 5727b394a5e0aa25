import Foundation
import HttpC
import HttpConversationTesting
import TestSupport
import Testing

extension RealServerTests {
    /// Plants secrets everywhere a conversation carries them and searches everything that can be printed (S20).
    @Suite(.serialized) struct Canaries {
        static let secrets = [
            "canary-password-7f3a", "canary-cookie-91bc", "canary-token-55de", "canary-query-c0de", "canary-body-e11e",
            "canary-fragment-abba", "canary-location-d00d",
        ]

        @Test(
            "Nothing that events, transcripts, logs, dumps and errors print holds a secret that the server got",
            arguments: ["/basic-sink/", "/digest-sink/", "/digest-short-sink/"])
        func nothingPrinted(_ folder: String) async throws {
            let apache = try await RealServers.shared.server(.apache)
            let mark = UInt64.random(in: 0...UInt64.max)
            let wrong = TestUsers.User(name: "alice", password: Self.secrets[0])
            let log = CollectedLog()
            let observer = RecordingObserver()
            let collector = TranscriptRecorder()
            let manager = try await Library.manager(wrong)
            manager.update { configuration in
                configuration.logger = log.logger
                configuration.observers.add(observer)
                configuration.observers.add(collector)
            }
            // A cookie of the server, then a redirect with a token, then a login with all of it.
            let set = "/cookie/x?set=session%3D\(Self.secrets[1])%3B%20Path%3D/"
            _ = try await manager.data(for: HTTPRequest(.get, apache.url(set)))
            let path = "\(folder)\(mark)?code=\(Self.secrets[3])"
            var request = try HTTPRequest(.post, apache.url(path) + "#\(Self.secrets[5])")
            request.headerFields[.init("X-Api-Key") ?? .accept] = Self.secrets[2]
            let response = try await manager.data(for: request, body: .text("password=\(Self.secrets[4])"))
            let location = "/open/\(mark)?token=\(Self.secrets[6])"
            _ = try await manager.data(for: HTTPRequest(.get, apache.redirect(302, to: apache.url(location, .second))))
            var printed = [response.context, response.attempts, observer.events, manager.configuration].map(Self.dumped)
            printed += observer.events.map(\.description)
            printed.append(Self.dumped(collector.transcript))
            printed.append(String(decoding: try JSONEncoder().encode(collector.transcript), as: UTF8.self))
            printed += log.lines
            printed.append(Self.dumped(manager))
            printed.append(Self.dumped(StaticCredentialProvider(username: "alice", password: Self.secrets[0])))
            printed.append(Self.dumped(manager.configuration.session.cookies.snapshot))

            // All secrets have arrived.
            let received = try apache.received(path)
            #expect(received.contains { $0.carriesCredentials })
            #expect(received.contains { $0.field("Cookie")?.contains(Self.secrets[1]) == true })
            #expect(received.contains { $0.field("X-API-Key") == Self.secrets[2] })
            #expect(try apache.received(location).count == 1)
            // There was enough output to search.
            #expect(printed.count > 20)
            #expect(printed.joined().count > 5000)

            var search = CanarySearch(secrets: Self.secrets)
            search.addDigests(of: received)
            #expect(search.found(in: printed.joined(separator: "\n")) == [])
        }

        @Test("The search finds planted secrets", arguments: CanarySearch.Form.allCases)
        func planted(_ form: CanarySearch.Form) {
            let text = "before \(form.encode("alice:canary-password-7f3a")) after"
            #expect(!CanarySearch(secrets: ["alice:canary-password-7f3a"]).found(in: text).isEmpty)
        }

        private static func dumped(_ value: Any) -> String {
            var text = ""
            dump(value, to: &text)
            return text
        }
    }
}

/// Looks for secrets in all the forms in which they travel.
struct CanarySearch {
    enum Form: String, CaseIterable {
        case raw, base64, base64url, percent, hex

        func encode(_ secret: String) -> String {
            let bytes = Array(secret.utf8)
            let base64 = Data(bytes).base64EncodedString()
            return switch self {
            case .raw: secret
            case .base64: base64
            case .base64url:
                base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                    .replacingOccurrences(of: "=", with: "")
            case .percent: bytes.map { "%" + Self.hex($0) }.joined()
            case .hex: bytes.map(Self.hex).joined()
            }
        }

        private static func hex(_ byte: UInt8) -> String {
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }
    }

    private var needles: [(name: String, text: String)] = []

    init(secrets: [String]) {
        for secret in secrets {
            // Basic encodes a name before the password, and base64 has three alignments.
            for text in [secret, "alice:" + secret] {
                needles += Form.allCases.map { ("\($0.rawValue) of \(secret)", $0.encode(text).lowercased()) }
            }
        }
    }

    /// Adds the hashes in `Authorization` fields that a server received.
    mutating func addDigests(of requests: [ReceivedRequest]) {
        for field in requests.compactMap({ $0.field("Authorization") }) {
            for name in [" response=\"", " cnonce=\""] {
                guard let start = field.range(of: name) else { continue }
                needles.append(
                    ("\(name) of a Digest", String(field[start.upperBound...].prefix { $0 != "\"" }).lowercased()))
            }
            if let token = field.split(separator: " ").last, field.hasPrefix("Basic ") {
                needles.append(("a Basic token", token.lowercased()))
            }
        }
    }

    func found(in text: String) -> [String] {
        let text = text.lowercased()
        return needles.filter { text.contains($0.text) }.map(\.name)
    }
}
