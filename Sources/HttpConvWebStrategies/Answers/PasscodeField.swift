/// Which field of a form a one-time code belongs in.
enum PasscodeField {
    /// Of open fields the one whose name says so, else the first.
    static func likeliest(of names: [String]) -> String? {
        names.first { name in ["code", "otp", "token", "pass"].contains { name.lowercased().contains($0) } }
            ?? names.first
    }
}
