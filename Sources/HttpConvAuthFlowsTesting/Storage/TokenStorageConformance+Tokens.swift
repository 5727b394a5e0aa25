import Foundation
import HttpConvAuthFlows

extension TokenStorageConformance {
    static let tokens = [
        TokenStorageCase("tokens.complete", "Saved tokens are read as they were saved, by every handle.") { storage in
            let key = try OAuth2TokenKey.number(1)
            try promise(try await storage.second.tokens(for: key) == nil, otherwise: "a new storage has tokens")
            let received = Date.distantPast + 64_000_000_000.123
            let full = OAuth2Tokens(
                accessToken: "a\u{0}\"é", refreshToken: "r", idToken: "i", scopes: ["x", "y z"],
                expiresAt: received + 0.1, receivedAt: received, source: .refresh, certificateThumbprint: "t",
                dpopKey: DPoPKey())
            let least = OAuth2Tokens(accessToken: "", receivedAt: received)
            for tokens in [full, least] {
                try await storage.first.save(tokens, for: key)
                try promise(
                    try await storage.first.tokens(for: key) == tokens, otherwise: "the handle reads other tokens")
                try await waitForTokens(storage.second, key, toBe: tokens, "saved tokens")
            }
        },
        TokenStorageCase("tokens.removal", "A removal concerns one key, and its repetition is harmless.") { storage in
            let keys = [
                try OAuth2TokenKey.number(1), try .number(2), try .number(1, support: "other"),
            ]
            for (number, key) in keys.enumerated() { try await storage.first.save(.named("\(number)"), for: key) }
            for _ in 0..<2 { try await storage.second.removeTokens(for: keys[0]) }
            try await waitForTokens(storage.first, keys[0], toBe: nil, "a removal")
            for number in 1...2 {
                let name = try await storage.first.tokens(for: keys[number])?.accessToken.value
                try promise(name == "\(number)", otherwise: "the tokens of another key were removed")
            }
        },
        TokenStorageCase("tokens.removal-of-all", "A removal of all tokens leaves none.") { storage in
            let keys = [try OAuth2TokenKey.number(1), try .number(2)]
            for key in keys { try await storage.first.save(.named("a"), for: key) }
            try await storage.second.removeAllTokens()
            for key in keys { try await waitForTokens(storage.first, key, toBe: nil, "the removal of all") }
            try await storage.first.save(.named("b"), for: keys[0])
            let saved = try await storage.first.tokens(for: keys[0])?.accessToken.value
            try promise(saved == "b", otherwise: "tokens that were saved after a removal are not read")
        },
        TokenStorageCase("tokens.cancelled", "A cancelled task still writes, and releases its lease.") { storage in
            let key = try OAuth2TokenKey.number(1)
            let task = Task {
                try await storage.first.withLease(for: key, duration: .seconds(30), until: { nil }) { lease in
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await storage.first.save(.named("a"), for: key, under: lease)
                }
            }
            try await task.value
            let saved = try await storage.first.tokens(for: key)?.accessToken.value
            try promise(saved == "a", otherwise: "the tokens of a cancelled task were lost")
            let lease = try await storage.second.lease(key)
            try promise(lease != nil, otherwise: "the lease of a cancelled task was not released")
        },
    ]
}
