typedef struct {
    float angle;
    float16_t weight;
    unsigned char is_up;
    unsigned char gemel_padding_0[1];
} Spin;
typedef char Spin_has_size_as_on_the_host[sizeof(Spin) == 8 ? 1 : -1];
typedef char Spin_has_angle_as_on_the_host[__INTADDR__(&((Spin *)0)->angle) == 0 ? 1 : -1];
typedef char Spin_has_weight_as_on_the_host[__INTADDR__(&((Spin *)0)->weight) == 4 ? 1 : -1];
typedef char Spin_has_is_up_as_on_the_host[__INTADDR__(&((Spin *)0)->is_up) == 6 ? 1 : -1];
typedef struct {
    float x;
    float y;
    float z;
    double mass;
    int id;
    Spin spins[3];
    cfloat charge;
    short flavour;
    float matrix[6];
    bfloat16_t rough;
    unsigned long long tag;
    signed char small;
    unsigned char gemel_padding_0[7];
} Particle;
typedef char Particle_has_size_as_on_the_host[sizeof(Particle) == 112 ? 1 : -1];
typedef char Particle_has_x_as_on_the_host[__INTADDR__(&((Particle *)0)->x) == 0 ? 1 : -1];
typedef char Particle_has_y_as_on_the_host[__INTADDR__(&((Particle *)0)->y) == 4 ? 1 : -1];
typedef char Particle_has_z_as_on_the_host[__INTADDR__(&((Particle *)0)->z) == 8 ? 1 : -1];
typedef char Particle_has_mass_as_on_the_host[__INTADDR__(&((Particle *)0)->mass) == 16 ? 1 : -1];
typedef char Particle_has_id_as_on_the_host[__INTADDR__(&((Particle *)0)->id) == 24 ? 1 : -1];
typedef char Particle_has_spins_as_on_the_host[__INTADDR__(&((Particle *)0)->spins) == 28 ? 1 : -1];
typedef char Particle_has_charge_as_on_the_host[__INTADDR__(&((Particle *)0)->charge) == 52 ? 1 : -1];
typedef char Particle_has_flavour_as_on_the_host[__INTADDR__(&((Particle *)0)->flavour) == 60 ? 1 : -1];
typedef char Particle_has_matrix_as_on_the_host[__INTADDR__(&((Particle *)0)->matrix) == 64 ? 1 : -1];
typedef char Particle_has_rough_as_on_the_host[__INTADDR__(&((Particle *)0)->rough) == 88 ? 1 : -1];
typedef char Particle_has_tag_as_on_the_host[__INTADDR__(&((Particle *)0)->tag) == 96 ? 1 : -1];
typedef char Particle_has_small_as_on_the_host[__INTADDR__(&((Particle *)0)->small) == 104 ? 1 : -1];

extern "C" __global__ void copy_particles(Particle *out, const Particle *in, Spin extra)
{
    int i = (int)threadIdx.x;
    Particle p = in[i];
    p.x += 1.0f;
    p.mass *= 2.0;
    p.spins[1] = p.spins[2];
    p.spins[2] = extra;
    p.charge = c_conj(p.charge);
    p.matrix[5] -= 0.5f;
    p.tag += 1;
    p.small = -p.small;
    out[i] = p;
}
