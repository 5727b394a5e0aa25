import HttpConvAuthFlows
import HttpConvFormats

extension TokenStorageConformance {
    static let leases = [
        TokenStorageCase("leases.one-holder", "A lease has one holder at a time.") { storage in
            let key = try OAuth2TokenKey.number(1)
            let lease = try await granted(storage.first, key)
            try promise(lease.key == key, otherwise: "the lease is for another key")
            for handle in [storage.first, storage.second] {
                let second = try await handle.lease(key)
                try promise(second == nil, otherwise: "a second holder")
                // A waiter looks at once, and returns what it finds.
                let isFound = try await handle.withLease(for: key, duration: .seconds(30), until: { true }) { _ in
                    false
                }
                try promise(isFound, otherwise: "work ran under a lease that another holder has")
            }
            await storage.first.releaseLease(lease)
            let next = try await granted(storage.second, key)
            try promise(next.fence > lease.fence, otherwise: "the fence \(next.fence) follows \(lease.fence)")
        },
        TokenStorageCase("leases.keys-are-apart", "Leases on other keys are free.") { storage in
            _ = try await granted(storage.first, .number(1))
            _ = try await granted(storage.second, .number(1, support: "other"))
            _ = try await granted(storage.second, .number(2))
        },
        TokenStorageCase("leases.exclusive", "Work under a lease does not overlap, and sees the newest tokens.") {
            storage in
            let key = try OAuth2TokenKey.number(1)
            let (tasks, rounds) = (6, 4)
            try await withThrowingTaskGroup { group in
                for number in 0..<tasks {
                    let handle = number.isMultiple(of: 2) ? storage.first : storage.second
                    group.addTask {
                        for _ in 0..<rounds {
                            try await handle.withLease(for: key, duration: .seconds(30), until: { () -> Void? in nil })
                            {
                                let saved = try await handle.tokens(for: key)?.accessToken.value ?? "0"
                                let count = PeerNumber.integer(saved, in: 0...1000) ?? 0
                                try await handle.save(.named("\(count + 1)"), for: key, under: $0)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let count = try await storage.first.withLease(for: key, duration: .seconds(30), until: { nil }) { _ in
                try await storage.first.tokens(for: key)?.accessToken.value
            }
            try promise(
                count == "\(tasks * rounds)", otherwise: "\(tasks * rounds) additions of one made \(count ?? "none")")
        },
        TokenStorageCase("leases.writes", "Under a lease, tokens are saved and removed.") { storage in
            let key = try OAuth2TokenKey.number(1)
            let (lease, tokens) = (try await granted(storage.first, key), OAuth2Tokens.named("a"))
            try await storage.first.save(tokens, for: key, under: lease)
            try await waitForTokens(storage.second, key, toBe: tokens, "tokens that were saved under a lease")
            try await storage.first.save(nil, for: key, under: lease)
            try await waitForTokens(storage.second, key, toBe: nil, "a removal under a lease")
        },
        TokenStorageCase("leases.extended", "An extended lease keeps others out, for as long as it was extended.") {
            storage in
            let key = try OAuth2TokenKey.number(1)
            let lease = try await granted(storage.first, key)
            try await storage.passTime(.seconds(29))
            try await storage.first.extendLease(lease)
            try await storage.passTime(.seconds(29))
            let early = try await storage.second.lease(key)
            try promise(early == nil, otherwise: "an extended lease was taken before its end")
            try await storage.passTime(.seconds(2))
            _ = try await granted(storage.second, key)
        },
        TokenStorageCase("leases.released", "A released lease is not extended, and is free at once.") { storage in
            let key = try OAuth2TokenKey.number(1)
            let lease = try await granted(storage.first, key)
            await storage.first.releaseLease(lease)
            try await refused("a released lease was extended") { try await storage.first.extendLease(lease) }
            _ = try await granted(storage.second, key)
        },
    ]

    static func granted(_ storage: any LeasedTokenStorage, _ key: OAuth2TokenKey) async throws -> OAuth2Lease {
        guard let lease = try await storage.lease(key) else { throw Broken(happened: "a free lease was not granted") }
        return lease
    }

    /// Throws a finding unless the work throws `.leaseLost`.
    static func refused(_ happened: String, _ work: () async throws -> Void) async throws {
        do { try await work() } catch let error as OAuth2Error where error.code == .leaseLost { return }
        throw Broken(happened: happened)
    }
}
