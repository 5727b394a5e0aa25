package import HttpConvVault

extension PasswordPolicy {
    /// Reads a policy. Missing values and nulls get the defaults.
    ///
    /// - Parameters:
    ///   - prefix: the prefix of the names
    ///   - value: returns a value by its name
    /// - Throws: ``MobileServicesError/Code/wrongType``, ``MobileServicesError/Code/contradictoryPolicy``
    package init(
        prefix: String, at application: MobileApplication?,
        _ value: (String) throws(MobileServicesError) -> PropertyValue?
    ) throws(MobileServicesError) {
        self.init()
        for flag in Flag.allCases {
            let name = prefix + flag.rawValue
            guard let given = try value(name), given != .null else { continue }
            guard let read = Bool(given) else { throw Self.wrongType(name, "Boolean", application) }
            self[keyPath: flag.property] = read
        }
        for number in Number.allCases {
            let name = prefix + number.rawValue
            guard let given = try value(name), given != .null else { continue }
            guard let read = Int(given) else { throw Self.wrongType(name, "number of 32 bits", application) }
            self[keyPath: number.property] = read
        }
        if let (property, message) = contradiction {
            throw MobileServicesError(.contradictoryPolicy, message, property: prefix + property)
        }
    }

    private static func wrongType(
        _ name: String, _ expected: String, _ application: MobileApplication?
    ) -> MobileServicesError {
        MobileServicesError(
            .wrongType,
            "The policy\(application.map { " of \($0)" } ?? "") has a \(name) of another type than \(expected). "
                + "Tell its administrator.",
            property: name)
    }
}
