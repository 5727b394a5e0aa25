// The part of GSSAPI (RFC 2744, with MIT's extensions in gssapi_ext.h) that a client of Negotiate needs. The library is loaded when
// first used, so nothing is linked.
#ifdef __linux__
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

/// OM_uint32
typedef uint32_t gssapi_number;
/// gss_name_t, gss_cred_id_t and gss_ctx_id_t
typedef void *gssapi_handle;

/// gss_OID_desc
struct gssapi_oid {
    gssapi_number length;
    const void *_Nullable elements;
};

/// gss_OID_set_desc
struct gssapi_oids {
    size_t count;
    struct gssapi_oid *_Nullable elements;
};

/// gss_buffer_desc
struct gssapi_buffer {
    size_t length;
    void *_Nullable value;
};

/// struct gss_channel_bindings_struct
struct gssapi_bindings {
    gssapi_number initiator_kind;
    struct gssapi_buffer initiator;
    gssapi_number acceptor_kind;
    struct gssapi_buffer acceptor;
    struct gssapi_buffer data;
};

/// gss_key_value_element_desc
struct gssapi_setting {
    const char *_Nullable key, *_Nullable value;
};

/// gss_key_value_set_desc
struct gssapi_settings {
    gssapi_number count;
    struct gssapi_setting *_Nullable elements;
};

/// The functions of a loaded library.
struct gssapi_functions {
    gssapi_number (*_Nonnull import_name)(
        gssapi_number *_Nonnull minor, struct gssapi_buffer *_Nonnull text, struct gssapi_oid *_Nonnull kind,
        gssapi_handle _Nullable *_Nonnull name);
    gssapi_number (*_Nonnull release_name)(gssapi_number *_Nonnull minor, gssapi_handle _Nullable *_Nonnull name);
    gssapi_number (*_Nonnull acquire_from)(
        gssapi_number *_Nonnull minor, gssapi_handle _Nullable name, gssapi_number time,
        struct gssapi_oids *_Nullable mechanisms, int usage, struct gssapi_settings *_Nullable store,
        gssapi_handle _Nullable *_Nonnull credential, void *_Nullable actual, gssapi_number *_Nullable lifetime);
    gssapi_number (*_Nonnull acquire_with_password)(
        gssapi_number *_Nonnull minor, gssapi_handle _Nullable name, struct gssapi_buffer *_Nonnull password,
        gssapi_number time, struct gssapi_oids *_Nullable mechanisms, int usage,
        gssapi_handle _Nullable *_Nonnull credential, void *_Nullable actual, gssapi_number *_Nullable lifetime);
    gssapi_number (*_Nonnull set_mechanisms)(
        gssapi_number *_Nonnull minor, gssapi_handle _Nullable credential, struct gssapi_oids *_Nonnull mechanisms);
    gssapi_number (*_Nonnull release_credential)(
        gssapi_number *_Nonnull minor, gssapi_handle _Nullable *_Nonnull credential);
    gssapi_number (*_Nonnull init_context)(
        gssapi_number *_Nonnull minor, gssapi_handle _Nullable credential, gssapi_handle _Nullable *_Nonnull context,
        gssapi_handle _Nullable name, struct gssapi_oid *_Nonnull mechanism, gssapi_number flags, gssapi_number time,
        struct gssapi_bindings *_Nullable bindings, struct gssapi_buffer *_Nullable input, void *_Nullable actual,
        struct gssapi_buffer *_Nonnull output, gssapi_number *_Nullable granted, gssapi_number *_Nullable lifetime);
    gssapi_number (*_Nonnull delete_context)(
        gssapi_number *_Nonnull minor, gssapi_handle _Nullable *_Nonnull context, void *_Nullable output);
    gssapi_number (*_Nonnull release_buffer)(gssapi_number *_Nonnull minor, struct gssapi_buffer *_Nonnull buffer);
    gssapi_number (*_Nonnull display_status)(
        gssapi_number *_Nonnull minor, gssapi_number status, int kind, struct gssapi_oid *_Nullable mechanism,
        gssapi_number *_Nonnull more, struct gssapi_buffer *_Nonnull text);
};

/// The functions of a loaded library; null if one is missing. Not to be called by two threads at once.
static inline const struct gssapi_functions *_Nullable gssapi_functions_of(void *_Nonnull library) {
    static struct gssapi_functions functions;
#define GSSAPI_FIND(field, symbol) \
    if (!(*(void **)&functions.field = dlsym(library, symbol))) return 0
    GSSAPI_FIND(import_name, "gss_import_name");
    GSSAPI_FIND(release_name, "gss_release_name");
    GSSAPI_FIND(acquire_from, "gss_acquire_cred_from");
    GSSAPI_FIND(acquire_with_password, "gss_acquire_cred_with_password");
    GSSAPI_FIND(set_mechanisms, "gss_set_neg_mechs");
    GSSAPI_FIND(release_credential, "gss_release_cred");
    GSSAPI_FIND(init_context, "gss_init_sec_context");
    GSSAPI_FIND(delete_context, "gss_delete_sec_context");
    GSSAPI_FIND(release_buffer, "gss_release_buffer");
    GSSAPI_FIND(display_status, "gss_display_status");
#undef GSSAPI_FIND
    return &functions;
}

/// SPNEGO (RFC 4178): 1.3.6.1.5.5.2
static inline struct gssapi_oid *_Nonnull gssapi_spnego(void) {
    static struct gssapi_oid oid = {6, "\x2b\x06\x01\x05\x05\x02"};
    return &oid;
}

/// Kerberos (RFC 4121): 1.2.840.113554.1.2.2
static inline struct gssapi_oid *_Nonnull gssapi_kerberos(void) {
    static struct gssapi_oid oid = {9, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02"};
    return &oid;
}

/// GSS_KRB5_NT_PRINCIPAL_NAME: 1.2.840.113554.1.2.2.1
static inline struct gssapi_oid *_Nonnull gssapi_principal(void) {
    static struct gssapi_oid oid = {10, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x02\x01"};
    return &oid;
}

/// GSS_C_NT_HOSTBASED_SERVICE: 1.2.840.113554.1.2.1.4
static inline struct gssapi_oid *_Nonnull gssapi_hostbased(void) {
    static struct gssapi_oid oid = {10, "\x2a\x86\x48\x86\xf7\x12\x01\x02\x01\x04"};
    return &oid;
}
#endif
