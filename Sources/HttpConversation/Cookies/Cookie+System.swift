import HttpConvPlatform

extension Cookie {
    /// The properties of the same cookie in the system's store (`HTTPCookie`), by their keys.
    package var systemProperties: [String: any Sendable] {
        var properties: [String: any Sendable] = [
            "Name": name, "Value": value, "Path": path,
            // A leading dot makes the cookie valid for subdomains too.
            "Domain": isHostOnly ? domain : ".\(domain)",
        ]
        if let expires { properties["Expires"] = expires }
        if isSecure { properties["Secure"] = "TRUE" }
        if isHttpOnly { properties["HttpOnly"] = "TRUE" }
        return properties
    }
}
