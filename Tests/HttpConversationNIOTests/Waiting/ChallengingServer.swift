import Foundation
import HTTPTypes
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation
import HttpConversationConformance

/// A server that demands a login of some kind, with a body of some length after its challenge.
struct ChallengingServer: Sendable {
    /// The kind of challenge.
    enum Kind: String, CaseIterable, Sendable {
        case basic, digest, bearer, tokenBy403, saml2, saml2Redirect, otp, csrf
    }

    /// The length of the challenge's body.
    enum Length: CaseIterable, Sendable {
        case short, tenMiB, endless
    }

    let kind: Kind
    let length: Length
    /// The number of challenges sent, and of requests that needed none.
    let challenges = Counter()
    let probes = Counter()

    func serve(_ connection: ServerConnection) async throws {
        while true {
            let head = try await connection.readHead()
            let path = head.split(separator: " ")[1]
            if head.hasPrefix("POST") { _ = try await connection.readBytes(Self.length(of: head)) }
            switch path {
            case "/probe":
                probes.add()
                try await connection.respond("probe")
            case "/token":
                try await connection.respond(
                    #"{"access_token":"t","token_type":"Bearer"}"#, headers: "Content-Type: application/json\r\n")
            default:
                if head.lowercased().contains("x-csrf-token: fetch") {
                    try await connection.respond("", headers: "X-CSRF-Token: t0ken\r\n")
                } else if isSatisfied(by: head) {
                    try await connection.respond("welcome")
                } else {
                    challenges.add()
                    try await challenge(connection)
                }
            }
        }
    }

    private static func length(of head: String) -> Int {
        let line = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
        return line.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
    }

    private func isSatisfied(by head: String) -> Bool {
        switch kind {
        case .basic: head.contains("Authorization: Basic ")
        case .digest: head.contains("Authorization: Digest ")
        case .bearer, .tokenBy403: head.contains("Authorization: Bearer t")
        case .saml2, .saml2Redirect, .otp: head.contains("LOGIN=yes")
        case .csrf: head.contains("t0ken")
        }
    }

    private var challengeHead: String {
        switch kind {
        case .basic: "401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"r\""
        case .digest: "401 Unauthorized\r\nWWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\""
        case .bearer: "401 Unauthorized\r\nWWW-Authenticate: Bearer"
        case .tokenBy403: "403 Forbidden\r\nX-Token: required"
        case .saml2: "200 OK\r\ncom.sap.cloud.security.login: login-request"
        case .saml2Redirect: "302 Found\r\ncom.sap.cloud.security.login: login-request\r\nLocation: /idp"
        case .otp: "302 Found\r\nx-smp-authentication: otp-challenge\r\nLocation: /otp"
        case .csrf: "403 Forbidden\r\nX-CSRF-Token: Required"
        }
    }

    private func challenge(_ connection: ServerConnection) async throws {
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
        switch length {
        case .short: try await connection.write("HTTP/1.1 \(challengeHead)\r\nContent-Length: 2\r\n\r\nno")
        case .tenMiB:
            try await connection.write("HTTP/1.1 \(challengeHead)\r\nContent-Length: \(10 << 20)\r\n\r\n")
            for _ in 0..<160 { try await connection.write(piece) }
        case .endless:
            try await connection.write("HTTP/1.1 \(challengeHead)\r\nTransfer-Encoding: chunked\r\n\r\n")
            while true {
                try await connection.write("10000\r\n")
                try await connection.write(piece)
                try await connection.write("\r\n")
            }
        }
    }
}
