import Foundation
import HTTPTypes
import HttpConvFormats
import HttpConversation

@testable import HttpConvAuthFlows
@testable import HttpConvLogon
@testable import MobileServices

/// Answers of authorization servers and mobile servers.
let loginTargets: [FuzzTarget] = [FuzzTarget("oauth2", oauth2), FuzzTarget("mobile", mobile)]

/// The answer of an endpoint: a line with its status, then its body.
private func oauth2(_ bytes: [UInt8]) throws {
    let (line, rest) = bytes.lineAndRest
    let endpoint = try TargetURL("https://as.example/token")
    let words = line.split(separator: " ", maxSplits: 1)
    let answer = EndpointAnswer(
        endpoint: endpoint, status: words.first.flatMap { Int($0) } ?? 200,
        fields: [.retryAfter: words.count > 1 ? String(words[1]) : ""], bytes: rest, secrets: ["client-secret"])
    if let refusal = answer.refusal {
        try require(!"\(refusal)".contains("client-secret"), "no secret is in an error")
        if let wait = refusal.retryAfter { try require((.zero ... .seconds(3600)).contains(wait), "an hour at most") }
    }
    if let response = try? TokenResponse(answer, bindsTokens: true) {
        if let lifetime = response.lifetime {
            try require(lifetime > .zero && lifetime <= TokenResponse.maximumLifetime, "a lifetime is one")
        }
        let tokens = response.tokens(at: Date(timeIntervalSince1970: 1_700_000_000), source: .refresh)
        let data = try JSONEncoder().encode(tokens)
        try requireEqual(
            try JSONDecoder().decode(OAuth2Tokens.self, from: data).accessToken, tokens.accessToken,
            "tokens that are stored are read back")
    }
    if let metadata = try? ServerMetadata(rest, issuer: "https://as.example", at: endpoint) {
        _ = try? metadata.forCertificates()
        _ = metadata.isComplete(for: .clientCredentials)
    }
    _ = JSONValue.object(rest)
}

/// The answer of a mobile server. The first byte selects the request.
private func mobile(_ bytes: [UInt8]) throws {
    guard let first = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    let application = try MobileApplication(at: "https://mobile.example", id: "com.example.app")
    switch first {
    case UInt8(ascii: "a"), UInt8(ascii: "j"):
        let format = first == UInt8(ascii: "a") ? EntityFormat.atom : .json
        _ = format.message(body)
        guard let entity = try? format.entity(body) else { return }
        if let connection = try? ApplicationConnection(entity, id: "connection-1", at: application) {
            _ = try? connection.settings()
        }
        guard first == UInt8(ascii: "a"), let written = try? format.bytes(entity) else { return }
        guard let again = try? format.entity(written) else { throw BrokenProperty("what is written is an entity") }
        try requireEqual(Set(again.properties.keys), Set(entity.properties.keys), "properties are read back")
    case UInt8(ascii: "s"):
        guard let document = JSONValue(body) else { return }
        _ = try? ApplicationSettings(exchanged: document, at: application)
    default:
        guard let document = try? JSONDecoder().decode(DiscoveryDocument.self, from: Data(body)) else { return }
        let found = try? document.registration(LogonOptions(), applicationID: "com.example.app")
        if let found { try require(found.isHTTPS, "no domain leads away from https") }
    }
}
