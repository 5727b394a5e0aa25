/// `[profiles.NAME.basic]`.
struct BasicTable: Sendable {
    let username: String
    let password: SecretSource
}
