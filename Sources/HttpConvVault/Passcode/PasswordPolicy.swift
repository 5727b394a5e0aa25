/// A policy for the passcode that locks an application's vault. Mobile servers have one for each application.
public struct PasswordPolicy: Hashable, Sendable, Codable {
    /// Whether a passcode is required at all.
    public var isEnabled = true
    /// Whether the user may go without a passcode of their own.
    public var allowsDefaultPassword = false
    /// The minimum number of characters.
    public var minimumLength = 8
    /// The minimum number of different characters.
    public var minimumUniqueCharacters = 0
    /// Whether the passcode needs a digit.
    public var requiresDigit = false
    /// Whether the passcode needs an upper-case letter.
    public var requiresUppercase = false
    /// Whether the passcode needs a lower-case letter.
    public var requiresLowercase = false
    /// Whether the passcode needs a character besides letters and digits.
    public var requiresSpecial = false
    /// Whether only digits are allowed.
    public var isDigitsOnly = false
    /// The days after which a new passcode is required; 0: never.
    public var expiresInDays = 0
    /// The time without use after which the vault is locked; 0: never.
    public var lockTimeout: Duration = .seconds(300)
    /// The number of wrong tries after which the vault is deleted for good.
    public var retryLimit = 10
    /// Whether a fingerprint or face may open the vault.
    public var allowsFingerprint = true

    /// The default policy: eight characters, ten tries, locked after five minutes.
    public init() {}

    /// Names at mobile servers and in configuration files, after the prefix `PasswordPolicy` or `passwordPolicy`.
    package enum Flag: String, CaseIterable {
        case enabled = "Enabled"
        case defaultPasswordAllowed = "DefaultPasswordAllowed"
        case digitRequired = "DigitRequired"
        case upperRequired = "UpperRequired"
        case lowerRequired = "LowerRequired"
        case specialRequired = "SpecialRequired"
        case fingerprintEnabled = "FingerprintEnabled"
        case isDigitsOnly = "IsDigitsOnly"

        package var property: WritableKeyPath<PasswordPolicy, Bool> {
            switch self {
            case .enabled: \.isEnabled
            case .defaultPasswordAllowed: \.allowsDefaultPassword
            case .digitRequired: \.requiresDigit
            case .upperRequired: \.requiresUppercase
            case .lowerRequired: \.requiresLowercase
            case .specialRequired: \.requiresSpecial
            case .fingerprintEnabled: \.allowsFingerprint
            case .isDigitsOnly: \.isDigitsOnly
            }
        }
    }

    package enum Number: String, CaseIterable {
        case minLength = "MinLength"
        case minUniqueChars = "MinUniqueChars"
        case expiresInNDays = "ExpiresInNDays"
        case lockTimeout = "LockTimeout"
        case retryLimit = "RetryLimit"

        package var property: WritableKeyPath<PasswordPolicy, Int> {
            switch self {
            case .minLength: \.minimumLength
            case .minUniqueChars: \.minimumUniqueCharacters
            case .expiresInNDays: \.expiresInDays
            case .lockTimeout: \.lockSeconds
            case .retryLimit: \.retryLimit
            }
        }
    }

    fileprivate var lockSeconds: Int {
        get { Int(clamping: lockTimeout.components.seconds) }
        set { lockTimeout = .seconds(newValue) }
    }
}

extension PasswordPolicy {
    /// Throws if no passcode could satisfy the policy. A disabled policy is always valid.
    ///
    /// - Throws: ``PasscodeVaultError/Code/contradictoryPolicy``
    public func validate() throws(PasscodeVaultError) {
        if let (_, message) = contradiction { throw PasscodeVaultError(.contradictoryPolicy, message) }
    }

    /// The contradictory property, by the end of its name, and a message; nil if the policy can be satisfied.
    package var contradiction: (property: String, message: String)? {
        guard isEnabled, let (property, reason) = contradictoryProperty else { return nil }
        return (
            property,
            "The passcode policy contradicts itself: \(reason). Only the server's administrator can change that."
        )
    }

    private var contradictoryProperty: (property: String, reason: String)? {
        for number in Number.allCases where self[keyPath: number.property] < 0 {
            return (number.rawValue, "a limit is less than 0")
        }
        if retryLimit == 0 { return (Number.retryLimit.rawValue, "there is not a single try") }
        if minimumLength > Self.longest {
            return (Number.minLength.rawValue, "no passcode may be longer than \(Self.longest) characters")
        }
        if minimumUniqueCharacters > Self.longest {
            return (
                Number.minUniqueChars.rawValue,
                "it wants more different characters than the \(Self.longest) that a passcode may have"
            )
        }
        guard isDigitsOnly else { return nil }
        if minimumUniqueCharacters > 10 { return (Number.minUniqueChars.rawValue, "there are ten digits only") }
        let excluded: [(Bool, Flag)] = [
            (requiresUppercase, .upperRequired), (requiresLowercase, .lowerRequired),
            (requiresSpecial, .specialRequired),
        ]
        return excluded.first { $0.0 }.map { ($0.1.rawValue, "it wants digits only, and something else among them") }
    }

    /// The maximum length for typing and key derivation, in characters.
    static let longest = 256
}
