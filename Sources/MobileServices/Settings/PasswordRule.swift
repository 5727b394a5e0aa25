internal import Foundation

/// One thing that a policy wants of a passcode, to be shown to whoever makes one and checked.
///
/// A character is what people take for one: an extended grapheme cluster of Unicode, whatever it is composed of, so that
/// `é` counts once and as the same, typed in either way. A digit is one of 0 to 9. What is no letter and no digit is
/// special, blanks included.
public enum PasswordRule: Hashable, Sendable {
    /// So many characters or more.
    case minimumLength(Int)
    /// So many characters or fewer; as every passcode has to end somewhere, in any policy.
    case maximumLength(Int)
    /// So many different characters or more.
    case minimumUniqueCharacters(Int)
    /// Digits, and nothing else.
    case digitsOnly
    /// A digit among them.
    case digit
    /// An upper-case letter among them, of any script.
    case uppercase
    /// A lower-case letter among them, of any script.
    case lowercase
    /// Something else than letters and digits among them.
    case special

    /// The rule, for people.
    public var text: String {
        switch self {
        case .minimumLength(let count): "At least \(Self.characters(count))"
        case .maximumLength(let count): "At most \(Self.characters(count))"
        case .minimumUniqueCharacters(let count): "At least \(Self.characters(count, "different "))"
        case .digitsOnly: "Digits only"
        case .digit: "A digit"
        case .uppercase: "An upper-case letter"
        case .lowercase: "A lower-case letter"
        case .special: "A character that is no letter and no digit"
        }
    }

    private static func characters(_ count: Int, _ kind: String = "") -> String {
        "\(count) \(kind)character\(count == 1 ? "" : "s")"
    }

    /// Whether a passcode is as the rule wants it.
    public func isSatisfied(by passcode: String) -> Bool {
        // As the key derivation gets it.
        let passcode = passcode.precomposedStringWithCanonicalMapping
        return switch self {
        case .minimumLength(let count): passcode.count >= count
        // One character can be composed of any number of others: bytes are bounded, too.
        case .maximumLength(let count): passcode.count <= count && passcode.utf8.count <= 16 * count
        case .minimumUniqueCharacters(let count): Set(passcode).count >= count
        case .digitsOnly: passcode.allSatisfy(Self.isDigit)
        case .digit: passcode.contains(where: Self.isDigit)
        case .uppercase: passcode.contains { $0.isUppercase }
        case .lowercase: passcode.contains { $0.isLowercase }
        case .special: passcode.contains { !$0.isLetter && !Self.isDigit($0) }
        }
    }

    private static func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
}

extension PasswordPolicy {
    /// What a passcode of a person's own has to satisfy, in the order in which people are told. Never empty: also where no
    /// policy is enabled there has to be something.
    public var rules: [PasswordRule] {
        let bounds: [PasswordRule] = [.minimumLength(isEnabled ? max(minimumLength, 1) : 1)]
        let end: [PasswordRule] = [.maximumLength(Self.longest)]
        guard isEnabled else { return bounds + end }
        let wanted: [(Bool, PasswordRule)] = [
            (minimumUniqueCharacters > 1, .minimumUniqueCharacters(minimumUniqueCharacters)),
            (isDigitsOnly, .digitsOnly), (requiresDigit && !isDigitsOnly, .digit),
            (requiresUppercase, .uppercase), (requiresLowercase, .lowercase), (requiresSpecial, .special),
        ]
        return bounds + wanted.filter(\.0).map(\.1) + end
    }

    /// The rules that a passcode breaks.
    public func violations(of passcode: String) -> [PasswordRule] { rules.filter { !$0.isSatisfied(by: passcode) } }

    /// Whether a vault may be made without a passcode of the person's own: where none is wanted, or the policy lets people
    /// choose.
    public var allowsNoPasscode: Bool { !isEnabled || allowsDefaultPassword }
}
