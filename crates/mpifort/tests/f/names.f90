! Names of the standard and of MPICH's header that the three ways to use MPI share: this text is
! compiled with each of them in place of the line below.
program names
  use mpi
  implicit none
  integer :: ierr, me, np, status(MPI_STATUS_SIZE), combiner, n(3)
  integer(MPI_ADDRESS_KIND) :: lower, extent, place(3)
  integer :: of(4)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, np, ierr)
  ! The profiling names, of functions and of procedures with buffers and without.
  call PMPI_Barrier(MPI_COMM_WORLD, ierr)
  call PMPI_Sendrecv(me, 1, MPI_INTEGER, me, 7, n, 1, MPI_INTEGER, me, 7, &
                     MPI_COMM_WORLD, status, ierr)
  call check(n(1) == me .and. PMPI_Wtime() >= 0, 1)
  call check(status(MPI_SOURCE) == me .and. status(MPI_TAG) == 7, 2)
  status(MPI_ERROR) = MPI_SUCCESS
  ! Differences of addresses.
  call MPI_Get_address(of(1), place(1), ierr)
  call MPI_Get_address(of(3), place(2), ierr)
  call check(MPI_Aint_diff(place(2), place(1)) == 8, 3)
  call check(MPI_Aint_add(place(1), 8_MPI_ADDRESS_KIND) == place(2), 4)
  call check(PMPI_Aint_diff(place(2), place(1)) == 8, 5)
  ! Of MPI-1, which MPICH still has. Values of the combiners are those of its mpif.h.
  call check(MPI_COMBINER_HVECTOR_INTEGER == 5 .and. MPI_COMBINER_HINDEXED_INTEGER == 8, 6)
  call check(MPI_COMBINER_STRUCT_INTEGER == 11, 7)
  call bounds()
  if (me == 0) print '(a,i0,a)', 'names: ', np, ' ranks: good'
  call MPI_Finalize(ierr)

contains

  subroutine bounds()
    integer :: made
    place = [integer(MPI_ADDRESS_KIND) :: -8, 0, 32]
    call MPI_Type_create_struct(3, [1, 1, 1], place, [MPI_LB, MPI_INTEGER, MPI_UB], made, ierr)
    call MPI_Type_get_extent(made, lower, extent, ierr)
    call check(lower == -8 .and. extent == 40, 8)
    call MPI_Type_get_envelope(made, n(1), n(2), n(3), combiner, ierr)
    call check(combiner == MPI_COMBINER_STRUCT .and. all(n == [4, 3, 3]), 9)
    call MPI_Type_free(made, ierr)
  end subroutine

  subroutine check(is_so, which)
    logical, intent(in) :: is_so
    integer, intent(in) :: which
    if (is_so) return
    print *, 'rank', me, 'check', which
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
end program
