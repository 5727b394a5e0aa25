import Testing

@testable import HttpConvVault

struct PasswordRuleTests {
    typealias Row = (name: String, policy: PasswordPolicy, good: [String], bad: [String: [PasswordRule]])

    /// Each property of a policy, with passcodes that satisfy it and passcodes that do not.
    static let rows: [Row] = [
        (
            "disabled", PasswordPolicy { ($0.isEnabled, $0.minimumLength, $0.requiresDigit) = (false, 20, true) },
            ["x"],
            ["": [.minimumLength(1)]]
        ),
        (
            "as usual", PasswordPolicy(), ["abcdefgh", "ÄÖÜäöüß€", "        "],
            ["abcdefg": [.minimumLength(8)], "": [.minimumLength(8)]]
        ),
        ("length 0", PasswordPolicy { $0.minimumLength = 0 }, ["x"], ["": [.minimumLength(1)]]),
        (
            "characters, not code points", PasswordPolicy { $0.minimumLength = 2 }, ["e\u{301}x", "👩‍👩‍👧‍👦x"],
            ["e\u{301}": [.minimumLength(2)], "👩‍👩‍👧‍👦": [.minimumLength(2)]]
        ),
        (
            "too long", PasswordPolicy(), [String(repeating: "x", count: 256)],
            [
                String(repeating: "x", count: 257): [.maximumLength(256)],
                "abcdefgh" + String(repeating: "\u{301}", count: 5000): [.maximumLength(256)],
            ]
        ),
        (
            "unique", PasswordPolicy { ($0.minimumLength, $0.minimumUniqueCharacters) = (4, 3) }, ["abca", "aAbb"],
            ["aabb": [.minimumUniqueCharacters(3)], "\u{E9}e\u{301}bb": [.minimumUniqueCharacters(3)]]
        ),
        (
            "digit", PasswordPolicy { $0.requiresDigit = true }, ["abcdefg1"],
            ["abcdefgh": [.digit], "abcdefg٣": [.digit]]
        ),
        (
            "upper", PasswordPolicy { $0.requiresUppercase = true }, ["abcdefgH", "äöüabcdÉ"],
            ["abcdefg1": [.uppercase]]
        ),
        (
            "lower", PasswordPolicy { $0.requiresLowercase = true }, ["ABCDEFGh", "ABCDEFGß"],
            ["ABCDEFG1": [.lowercase]]
        ),
        (
            "special", PasswordPolicy { $0.requiresSpecial = true }, ["abcdefg!", "abcd efg", "abcdefg€"],
            ["abcdefg1": [.special], "abcdefgÉ": [.special]]
        ),
        (
            "digits only", PasswordPolicy { ($0.isDigitsOnly, $0.minimumLength) = (true, 4) }, ["0420"],
            ["042x": [.digitsOnly], "٠٤٢٠": [.digitsOnly], "042": [.minimumLength(4)]]
        ),
        (
            "digits only, and a digit", PasswordPolicy { ($0.isDigitsOnly, $0.requiresDigit) = (true, true) },
            ["04206942"], ["abcdefgh": [.digitsOnly]]
        ),
        (
            "all",
            PasswordPolicy {
                ($0.requiresDigit, $0.requiresUppercase, $0.requiresLowercase, $0.requiresSpecial) = (
                    true, true, true, true
                )
            }, ["aB3$efgh"], ["a": [.minimumLength(8), .digit, .uppercase, .special]]
        ),
    ]

    @Test(arguments: rows.indices) func rulesReportViolations(_ index: Int) throws {
        let row = Self.rows[index]
        try row.policy.validate()
        for passcode in row.good { #expect(row.policy.violations(of: passcode) == [], "\(row.name): \(passcode)") }
        for (passcode, broken) in row.bad {
            #expect(row.policy.violations(of: passcode) == broken, "\(row.name): \(passcode)")
            for rule in broken { #expect(!rule.text.isEmpty) }
        }
    }

    /// The same rules when a vault is made and when its passcode is changed.
    @Test(.timeLimit(.minutes(1)), arguments: rows.indices) func vaultsEnforceTheRules(_ index: Int) async throws {
        let row = Self.rows[index]
        let place = try VaultPlace()
        let (good, bad) = (try #require(row.good.first), try #require(row.bad.keys.first))
        #expect(await vaultCode { _ = try await place.create(bad, row.policy) } == .policyViolated)
        #expect(!PasscodeVault.exists(at: place.directory))
        let vault = try await place.create(good, row.policy)
        #expect(await vaultCode { try await vault.changePasscode(from: good, to: bad) } == .policyViolated)
        try await place.open().unlock(passcode: good)
    }

    @Test func contradiction() async throws {
        let place = try VaultPlace()
        let contradictory = PasswordPolicy { ($0.isDigitsOnly, $0.requiresUppercase) = (true, true) }
        #expect(await vaultCode { _ = try await place.create("right-0001", contradictory) } == .contradictoryPolicy)
        let vault = try await place.create()
        #expect(await vaultCode { try await vault.apply(policy: contradictory) } == .contradictoryPolicy)
        #expect(try await vault.policy() == PasswordPolicy())
        #expect(await vaultCode { try await vault.apply(policy: PasswordPolicy { $0.retryLimit = 0 }) } != nil)
    }

    @Test func newerPolicy() async throws {
        let place = try VaultPlace()
        let vault = try await place.create()
        for _ in 0..<5 { _ = await vaultCode { try await place.open().unlock(passcode: "wrong") } }
        // The new limit is below the number of wrong tries: one try is left.
        #expect(try await !vault.apply(policy: PasswordPolicy { $0.retryLimit = 3 }))
        #expect(try await vault.attemptsLeft() == 1)
        try await vault.apply(policy: PasswordPolicy { ($0.retryLimit, $0.requiresUppercase) = (3, true) })
        #expect(try await vault.attemptsLeft() == 1)
        let locked = try place.open()
        #expect(await vaultCode { try await locked.apply(policy: PasswordPolicy()) } == .locked)
        #expect(await vaultCode { try await locked.unlock(passcode: "right-0001") } == .expired)
        #expect(try await locked.mustChangePasscode() && locked.state == .unlocked)
        try await locked.changePasscode(from: "right-0001", to: "Right-0001")
        try await place.open().unlock(passcode: "Right-0001")
        for _ in 0..<2 { _ = await vaultCode { try await place.open().unlock(passcode: "wrong") } }
        #expect(await vaultCode { try await place.open().unlock(passcode: "wrong") } == .wiped)
    }

    /// A policy that is relaxed again: the passcode fits, as soon as it is entered.
    @Test func relaxedPolicy() async throws {
        let place = try VaultPlace()
        let vault = try await place.create()
        try await vault.apply(policy: PasswordPolicy { $0.minimumLength = 20 })
        #expect(await vaultCode { try await place.open().unlock(passcode: "right-0001") } == .expired)
        #expect(try await vault.apply(policy: PasswordPolicy()), "the passcode was not entered since")
        try await place.open().unlock(passcode: "right-0001")
        #expect(try await !vault.mustChangePasscode())
    }
}
