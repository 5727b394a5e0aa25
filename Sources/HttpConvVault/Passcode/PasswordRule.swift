internal import HttpConvPlatform

/// A rule of a policy for passcodes. It can be shown to the user and checked.
///
/// A character is an extended grapheme cluster of Unicode, so `é` counts once and as the same character however it was
/// typed. A digit is one of 0 to 9. Every other character that is not a letter is special, blanks included.
public enum PasswordRule: Hashable, Sendable {
    /// At least that many characters.
    case minimumLength(Int)
    /// At most that many characters. It is a rule of every policy, because a passcode must end somewhere.
    case maximumLength(Int)
    /// At least that many different characters.
    case minimumUniqueCharacters(Int)
    /// Only digits.
    case digitsOnly
    /// At least one digit.
    case digit
    /// At least one upper-case letter of any script.
    case uppercase
    /// At least one lower-case letter of any script.
    case lowercase
    /// At least one character besides letters and digits.
    case special

    /// The text of the rule, for people.
    public var text: String {
        switch self {
        case .minimumLength(let count): "At least \(Self.characters(count))"
        case .maximumLength(let count): "At most \(Self.characters(count))"
        case .minimumUniqueCharacters(let count): "At least \(Self.characters(count, "different "))"
        case .digitsOnly: "Digits only"
        case .digit: "A digit"
        case .uppercase: "An upper-case letter"
        case .lowercase: "A lower-case letter"
        case .special: "A character other than letters and digits"
        }
    }

    private static func characters(_ count: Int, _ kind: String = "") -> String {
        "\(count) \(kind)character\(count == 1 ? "" : "s")"
    }

    /// Whether a passcode satisfies the rule.
    public func isSatisfied(by passcode: String) -> Bool {
        // The key derivation gets the same form.
        let passcode = passcode.canonicallyComposed
        return switch self {
        case .minimumLength(let count): passcode.count >= count
        // A single character may consist of any number of code points, so bytes are bounded, too.
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
    /// The rules for a user's own passcode, in the order in which they are shown. The list is never empty: even a
    /// disabled policy requires some passcode.
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

    /// Whether a vault may be made without a passcode of the user's own: the policy is disabled, or lets users choose.
    public var allowsNoPasscode: Bool { !isEnabled || allowsDefaultPassword }
}
