internal import HttpConvAuthFlows
internal import HttpConvPlatform
internal import HttpConvVault

/// The JSON form of tokens, as the value of a record. The coders' own errors are left out: they may quote the record.
enum TokenRecord {
    static func encode(_ tokens: OAuth2Tokens) throws(DataVaultError) -> [UInt8] {
        do {
            return Array(try JSONEncoder().encode(tokens))
        } catch {
            throw DataVaultError(.invalidArgument, "The tokens cannot be written as JSON: is a date not finite?")
        }
    }

    static func decode(_ value: [UInt8]) throws(DataVaultError) -> OAuth2Tokens {
        do {
            return try JSONDecoder().decode(OAuth2Tokens.self, from: Data(value))
        } catch {
            throw DataVaultError(
                .damaged, "The record holds no tokens that this version can read. It can be overwritten or deleted.")
        }
    }
}
