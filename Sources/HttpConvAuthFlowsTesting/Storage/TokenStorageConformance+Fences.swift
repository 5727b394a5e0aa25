import HttpConvAuthFlows

extension TokenStorageConformance {
    static let fences = [
        TokenStorageCase("fences.late-holder", "A holder whose lease another one has taken overwrites nothing.") {
            storage in
            let key = try OAuth2TokenKey.number(1)
            let late = try await granted(storage.first, key)
            try await storage.passTime(.seconds(31))
            let next = try await granted(storage.second, key)
            try await storage.second.save(.named("newer"), for: key, under: next)
            try await checkRefusals(of: late, by: storage.first)
            await storage.first.releaseLease(late)
            let third = try await storage.first.lease(key)
            try promise(third == nil, otherwise: "the late holder released the lease of another one")
            // After the later holder has released it, the earlier one is still refused.
            await storage.second.releaseLease(next)
            try await checkRefusals(of: late, by: storage.first)
            let kept = try await storage.second.tokens(for: key)?.accessToken.value
            try promise(kept == "newer", otherwise: "the newer tokens were replaced")
        },
        // Without a newer renewal, the tokens that the server issued are kept.
        TokenStorageCase("fences.late-and-alone", "A late holder saves if nobody has taken its lease.") { storage in
            let (key, tokens) = (try OAuth2TokenKey.number(1), OAuth2Tokens.named("a"))
            let lease = try await granted(storage.first, key)
            try await storage.passTime(.seconds(300))
            try await storage.first.save(tokens, for: key, under: lease)
            try await waitForTokens(storage.second, key, toBe: tokens, "the tokens of a late holder")
        },
        TokenStorageCase("fences.removed", "A removal without a lease ends the lease: its holder stores nothing.") {
            storage in
            for removesAll in [false, true] {
                let key = try OAuth2TokenKey.number(removesAll ? 1 : 2)
                try await storage.first.save(.named("old"), for: key)
                let late = try await granted(storage.first, key)
                if removesAll {
                    try await storage.second.removeAllTokens()
                } else {
                    try await storage.second.removeTokens(for: key)
                }
                try await checkRefusals(of: late, by: storage.first)
                await storage.first.releaseLease(late)
                let next = try await granted(storage.second, key)
                try await checkRefusals(of: late, by: storage.first)
                let new = OAuth2Tokens.named("new")
                try await storage.second.save(new, for: key, under: next)
                try await waitForTokens(storage.first, key, toBe: new, "tokens after a removal")
            }
        },
        TokenStorageCase("fences.never-given", "A lease that was never granted is refused.") { storage in
            let key = try OAuth2TokenKey.number(1)
            try await storage.first.save(.named("a"), for: key)
            let lease = try await granted(storage.first, key)
            for fence in [0, UInt64(Int64.max), UInt64(Int64.max) + 1, UInt64.max] {
                let made = OAuth2Lease(key: key, fence: fence)
                try await checkRefusals(of: made, by: storage.first)
                await storage.first.releaseLease(made)
            }
            let second = try await storage.second.lease(key)
            try promise(second == nil, otherwise: "a lease that was never granted was released")
            let kept = try await storage.second.tokens(for: key)?.accessToken.value
            try promise(kept == "a", otherwise: "tokens were changed under a lease that was never granted")
            try await storage.first.save(.named("c"), for: key, under: lease)
        },
    ]

    private static func checkRefusals(of lease: OAuth2Lease, by storage: any LeasedTokenStorage) async throws {
        try await refused("it saved tokens") { try await storage.save(.named("older"), for: lease.key, under: lease) }
        try await refused("it removed tokens") { try await storage.save(nil, for: lease.key, under: lease) }
        try await refused("it extended its lease") { try await storage.extendLease(lease) }
    }
}
