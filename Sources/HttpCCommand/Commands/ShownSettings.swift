import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvLogon
import HttpConvPlatform
import HttpConvVault
import MobileServices

/// Settings as text for people or programs.
struct ShownSettings {
    private let groups: [(name: String, values: [(name: String, value: Value)])]

    private enum Value {
        case flag(Bool)
        case number(Int)
        case text(String)
        case texts([String])
    }

    init(_ settings: ApplicationSettings) {
        let policy = settings.passwordPolicy
        let names = { (policies: [FeatureVectorPolicy]) in Value.texts(policies.map { $0.name ?? "" }) }
        groups = [
            (
                "passcode",
                [
                    ("wanted", .flag(policy.isEnabled)), ("default-allowed", .flag(policy.allowsDefaultPassword)),
                    ("min-length", .number(policy.minimumLength)),
                    ("min-unique-characters", .number(policy.minimumUniqueCharacters)),
                    ("digit", .flag(policy.requiresDigit)), ("upper-case", .flag(policy.requiresUppercase)),
                    ("lower-case", .flag(policy.requiresLowercase)), ("special", .flag(policy.requiresSpecial)),
                    ("digits-only", .flag(policy.isDigitsOnly)), ("expires-in-days", .number(policy.expiresInDays)),
                    ("lock-seconds", .number(Int(clamping: policy.lockTimeout.components.seconds))),
                    ("tries", .number(policy.retryLimit)), ("fingerprint", .flag(policy.allowsFingerprint)),
                ]
            ),
            (
                "log",
                [
                    ("level", settings.log.level.map { .text($0) }),
                    ("expires-in-days", settings.log.expiresInDays.map { .number($0) }),
                ]
                .compactMap { name, value in value.map { (name, $0) } }
                    + [("upload", .flag(settings.log.isUploadEnabled))]
            ),
            (
                "features",
                [
                    ("all", .flag(settings.enablesAllFeatures)), ("allowed", names(settings.featureVectorPolicies)),
                    ("restricted", names(settings.restrictedFeatures)),
                ]
            ),
        ]
    }

    /// The settings, one per line.
    var text: String {
        TextTable.text(
            groups.flatMap { group in
                group.values.map {
                    ["\(group.name).\($0.name)", TerminalText.sanitise(Self.text($0.value), limit: 200)]
                }
            })
    }

    /// The settings as an object of objects, with a line end.
    var json: String {
        let members = Dictionary(
            uniqueKeysWithValues: groups.map { group in
                (group.name, Dictionary(uniqueKeysWithValues: group.values.map { ($0.name, Self.json($0.value)) }))
            })
        return TerminalJSON.laidOut(members)
    }

    private static func text(_ value: Value) -> String {
        switch value {
        case .flag(let flag): flag ? "yes" : "no"
        case .number(let number): String(number)
        case .text(let text): text
        case .texts(let texts): texts.joined(separator: ", ")
        }
    }

    private static func json(_ value: Value) -> JSONValue {
        switch value {
        case .flag(let flag): .bool(flag)
        case .number(let number): .integer(Int64(number))
        case .text(let text): .string(text)
        case .texts(let texts): .array(texts.map { .string($0) })
        }
    }
}
