import Foundation
import HttpConvFormats

@testable import HttpCClient
@testable import HttpCTerminal
@testable import HttpConvAuthFlows
@testable import HttpConversation

/// The questions of other programs to their credential helper.
let helperTargets: [FuzzTarget] = [FuzzTarget("helpers", helpers)]

private func helpers(_ bytes: [UInt8]) throws {
    if let request = try asked({ () throws(CommandFailure) in try GitCredentialRequest(bytes) }) { try git(request) }
    if let urls = try asked({ () throws(CommandFailure) in try DockerCredential.urls(bytes) }) {
        try require(!urls.isEmpty, "a text is a URL or refused")
        for url in urls { try plain(url) }
        try require(urls.count == 1 || urls.allSatisfy(\.origin.isLoopback), "only this machine may mean two servers")
    }
    let question = try asked { () throws(CommandFailure) in
        try KubernetesCredentialRequest(String(validating: bytes, as: UTF8.self))
    }
    for url in question?.servers ?? [] { try plain(url) }
}

private func git(_ request: GitCredentialRequest) throws {
    if let url = request.url { try plain(url) }
    let names = ["capability[]", "authtype", "credential", "ephemeral", "username", "password", "password_expiry_utc"]
    for credential in [
        LentCredential.token(OAuth2Tokens(accessToken: "token", expiresAt: Date() + 60), username: nil),
        .password(username: "alice", Redacted("secret")), .password(username: "alice", nil),
    ] {
        let answer = try request.answer(credential)
        for line in answer.split(ascii: "\n") {
            let name = line.cut(atASCII: "=").map { String($0.before) } ?? ""
            try require(names.contains(name), "the answer has only lines of its own")
        }
        guard case .password = credential, !answer.isEmpty else { continue }
        try require(request.username == nil || request.username == "alice", "a password is for its user")
    }
}

private func plain(_ url: TargetURL) throws {
    try require(url.userinfo == nil, "a URL brings no user along")
    try requireEqual(try TargetURL(url.absoluteString).origin, url.origin, "a URL is read back with its origin")
}

/// The parsed value; nil if it was refused with a printable message.
private func asked<Value>(_ read: () throws(CommandFailure) -> Value) throws -> Value? {
    do throws(CommandFailure) { return try read() } catch {
        try require(!error.message.hasControls, "a message has no control characters")
        return nil
    }
}
